/* Decoding a request body into a call, and encoding a result into a body: one pair of functions a file.
 *
 * Decoders take the whole body and allocate only from the arena; the call borrows from both. They check everything that
 * can be checked without the operator's own rules: JSON syntax, names against op->in, types known, sizes representable,
 * data matching shape. On refusal they return false with *err filled and a pointer to the member.
 */
#ifndef API_CODEC_H
#define API_CODEC_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/call.h"
#include "api/pieces.h"
#include "api/problem.h"
#include "api/source.h"

struct codec_limits {
    int json_depth; /* nesting of arrays and objects */
};

/* Open Inference Protocol: `head` is the JSON document, `tail` the blobs of its binary inputs in order (empty when the
 * request is all JSON; every byte of it must be used). *ret comes from call_init. */
bool codec_json_decode(struct arena *arena, const struct codec_limits *limits, struct bytes head, struct bytes tail,
                       struct call *ret, struct problem *err);

/* Binary tensor extension (Triton): reads one blob of `input`'s dtype and shape into tensor.data. Fixed-width types
 * borrow the blob, which may be misaligned for the type; BYTES become an array of `struct string` that borrows it. */
bool codec_binary_decode(struct arena *arena, struct bytes blob, struct call_input *input, struct problem *err);

/* Bytes of `view` in the binary extension, whose elements are those of the dense `input`. False if the shape, or for
 * BYTES the data, is not known, or if it exceeds INT64_MAX. */
bool codec_binary_size(const struct tensor *view, const struct tensor *input, int64_t *ret);

/* The elements of a dense BYTES tensor as the binary extension writes them. False when there is no memory. */
bool codec_binary_pieces(struct arena *arena, const struct tensor *input, struct pieces *ret);

/* The output `view` of `call` as a response body. `input` is the dense tensor whose elements the view repeats. The
 * body's JSON part has *head_len bytes for FORM_BINARY (the value of Inference-Header-Content-Length).
 * Refuses with 413 when source length exceeds max_bytes, before the tensor is written anywhere; with 400 when an element
 * cannot be written as JSON. */
struct source *codec_json_encode(struct arena *arena, const struct call *call, const struct tensor *view,
                                 const struct tensor *input, uint64_t max_bytes, size_t *head_len, struct problem *err);

/* ---- tensor files: one tensor each (file.h) ---- */

/* A file and what is told beside it, where it does not say so itself. */
struct tensor_file {
    struct bytes content;
    enum dtype dtype;         /* DTYPE_NONE: not told */
    const struct shape *dims; /* NULL: not told */
    bool dry_run;             /* raw bytes may be absent: a file of none is a tensor without data */
};

/* Each reads one file, which is borrowed, into ret->tensor, which is dense; ret->pointer names the input. Where a file
 * says its type and shape, what is told is only used for what it leaves open: the caller compares. */
bool codec_npy_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                      struct call_input *ret, struct problem *err);
bool codec_protobuf_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                           struct call_input *ret, struct problem *err);
bool codec_raw_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                      struct call_input *ret, struct problem *err);
bool codec_text_decode(struct arena *arena, const struct codec_limits *limits, const struct tensor_file *file,
                       struct call_input *ret, struct problem *err);

/* multipart/form-data: a part for each input, its file recognised as file_form says. `content_type` has the boundary. */
struct query;
bool codec_multipart_decode(struct arena *arena, const struct codec_limits *limits, const char *content_type,
                            struct bytes body, const struct query *query, struct call *ret, struct problem *err);

/* The output as a file. NULL with *output->err filled if it is too large, if an element of BYTES that ends in NUL is to
 * be in a .npy, or if a TensorProto would exceed the 2 GiB of a protobuf message. */
struct output;
struct source *codec_npy_encode(const struct output *output);
struct source *codec_protobuf_encode(const struct output *output);

#endif
