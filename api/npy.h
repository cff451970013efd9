/* The header of a .npy file (numpy.lib.format, versions 1.0, 2.0 and 3.0): magic, length, and a Python dict literal.
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * Only this dict is read, not Python: three known keys in any order, a string (or a list, which is a structured type), a
 * bool, and a tuple of integers. What numpy writes is read, and what numpy would refuse is refused. No allocation.
 */
#ifndef API_NPY_H
#define API_NPY_H

#include "api/file.h"
#include "ops/shape.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_LEN ((size_t)6)

struct npy_header {
    struct bytes descr; /* text between the quotes, or the whole list; borrowed */
    bool structured;    /* descr is a list */
    bool fortran_order; /* the first index varies fastest */
    struct shape shape;
    size_t length; /* of all that comes before the data */
};

/* Whether the bytes begin as a .npy file does. */
bool npy_detect(struct bytes content);

/* Reads the header of the file of `input`, which is only used for messages. */
bool npy_read_header(struct bytes content, const struct call_input *input, struct npy_header *ret,
                     struct problem *err);

/* Room that npy_write_header needs: magic, length, 64 sizes of up to 19 digits, and padding. */
#define NPY_MAX_HEADER ((size_t)2048)

/* Writes a version 1.0 header for data in C order as numpy does, padded to a multiple of 64 bytes, with room for the
 * first size to grow. Returns its length. */
size_t npy_write_header(const char *descr, const struct shape *shape, char out[NPY_MAX_HEADER]);

#endif
