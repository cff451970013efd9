/* The arena with a block for every piece, linked in place of that of libapi.a: each allocation of a request can then be
 * refused on its own, and a sanitizer sees what goes beyond a piece. */
#define SMALL_BLOCK ((size_t)0)

#include "api/arena.c"
