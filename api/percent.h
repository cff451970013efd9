/* Percent-encoding (RFC 3986, section 2.1). */
#ifndef API_PERCENT_H
#define API_PERCENT_H

#include "api/bytes.h"

/* The byte that the escape "%XX" at `at` stands for, or -1 if there are not two hexadecimal digits. */
int percent_byte(struct bytes raw, size_t at);

#endif
