/* What the readers of a request document share: where they are in it, what they have found, and how they refuse.
 * Private to codec_json_*.c.
 *
 * Each object of the document has a table of the members it knows; others are passed over. The way from the document to
 * the value at hand is kept as steps, and written as a JSON pointer only where one is needed; after a refusal it stays at
 * the fault.
 */
#ifndef API_CODEC_JSON_DECODER_H
#define API_CODEC_JSON_DECODER_H

#include <assert.h>

#include "api/call.h"
#include "api/json.h"

enum choice { CHOICE_NONE, CHOICE_NO, CHOICE_YES };

/* An input while its members come in, in any order. */
struct draft {
    int index;        /* into op->in; -1: no name yet */
    int depth;        /* steps to the input: "/inputs/1" */
    bool has_shape, has_data, has_blob;
    bool names;       /* data has been read as sizes that may be names */
    bool checked;     /* datatype and shape are known and representable */
    const uint8_t *data_start; /* of `data` that came before it could be read, or NULL */
    uint64_t blob_size;
    int64_t values;            /* read so far of the data of a dry run */
};

/* A step of the way: the member called `name`, or the element at `index` if name.ptr is NULL. */
struct decoder_step {
    struct bytes name;
    size_t index;
};

#define DECODER_MAX_STEPS 4 /* "/inputs/1/parameters/binary_data_size" */

struct decoder {
    struct json json;
    struct arena *arena;
    struct problem *err;
    struct call *call;
    struct bytes tail; /* what blobs have not taken yet */
    bool has_inputs, has_output;
    enum choice binary_all, binary_one; /* binary_data_output of the request, binary_data of the output */
    enum choice dry_run;                /* dry_run of the request */
    struct draft draft;
    struct tensor *tensor; /* of the draft, as far as it is known: dtype may be DTYPE_NONE, strides are not set */
    int depth; /* steps to the value at hand; 0: it is the document */
    struct decoder_step step[DECODER_MAX_STEPS];
};

/* A member that an object may have; `read` reads the value at hand. */
struct decoder_member {
    struct bytes name;
    bool (*read)(struct decoder *d);
};

#define DECODER_MEMBER(name, read) {BYTES_LITERAL(name), (read)}

struct decoder_members {
    struct decoder *decoder;
    const struct decoder_member *rows;
    size_t count;
};

#define DECODER_MEMBERS(decoder, table) (&(struct decoder_members){(decoder), (table), sizeof(table) / sizeof((table)[0])})

/* Each adds a step, which decoder_leave takes away. Names are borrowed, and those of our own tables. */
static inline void decoder_enter(struct decoder *d, struct bytes name)
{
    assert(d->depth < DECODER_MAX_STEPS);
    d->step[d->depth++] = (struct decoder_step){.name = name};
}

static inline void decoder_enter_element(struct decoder *d, size_t index)
{
    assert(d->depth < DECODER_MAX_STEPS);
    d->step[d->depth++] = (struct decoder_step){.index = index};
}

static inline void decoder_leave(struct decoder *d)
{
    d->depth--;
}

/* Writes the first `depth` steps as a JSON pointer (RFC 6901); returns out. */
const char *decoder_pointer(const struct decoder *d, int depth, char out[CALL_POINTER_MAX]);

/* Reads one member by the table; a json_member_fn whose ctx is a struct decoder_members. */
bool decoder_member(struct json *json, struct bytes name, void *members);

/* Each reads the value at hand, or refuses its kind. */
bool decoder_object(struct decoder *d, struct decoder_members *members);
bool decoder_array(struct decoder *d, json_element_fn *element, const char *what);
bool decoder_text(struct decoder *d, struct bytes *ret);
bool decoder_choice(struct decoder *d, enum choice *ret);

/* The value is null, which counts as absent, and has been passed. */
bool decoder_null(struct decoder *d);

/* problem_set with the pointer to the value at hand. */
bool decoder_refuse(struct decoder *d, enum problem_code code, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* Refuses the value at hand, which is not `what` ("an array"); for its syntax first, if that is at fault. */
bool decoder_refuse_kind(struct decoder *d, const char *what) __attribute__((cold));

/* Refuses a member because it is not offered; a row of the tables of parameters. */
bool decoder_not_offered(struct decoder *d);
#define DECODER_NOT_OFFERED                                      \
    DECODER_MEMBER("classification", decoder_not_offered),       \
    DECODER_MEMBER("shared_memory_region", decoder_not_offered), \
    DECODER_MEMBER("shared_memory_offset", decoder_not_offered), \
    DECODER_MEMBER("shared_memory_byte_size", decoder_not_offered)

/* The input of the operator that has this name, or -1. */
int decoder_find_input(const struct decoder *d, struct bytes name);

/* The shape of the input at hand (codec_json_sizes.c). */
bool codec_json_shape(struct decoder *d);

/* In a dry run, the data of the input of sizes at hand, whose shape is known. */
bool codec_json_values(struct decoder *d);

/* An element of `inputs`; a json_element_fn whose ctx is the decoder. */
bool codec_json_input(struct json *json, size_t index, void *decoder);

#endif
