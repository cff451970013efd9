/* Tensors as files: one tensor each, as .npy, TensorProto, raw bytes or JSON text.
 *
 * A file that stands in a request under the name of an input becomes that input; problems with it begin with that name
 * and point at it ("/data"). What a file does not say itself may be told beside it, in the query (query.h).
 */
#ifndef API_FILE_H
#define API_FILE_H

#include "api/arena.h"
#include "api/bytes.h"
#include "api/call.h"
#include "api/codec.h"
#include "api/problem.h"
#include "api/query.h"

/* What is known of a file besides its content; each may be empty. */
struct file_label {
    struct bytes content_type;
    struct bytes filename;
};

/* What the file is: told by a content type of its own, else by the ending of its name, else by what it begins with. What
 * is none of the others is raw bytes if it is called binary or has a file name, and text otherwise. */
enum call_form file_form(const struct file_label *label, struct bytes content);

/* Makes the call one of files, names the place of each input, and reads `text`, the raw query of the target or NULL. */
bool file_begin(struct arena *arena, const char *text, struct call *call, struct query *ret, struct problem *err);

/* Reads the file as input `index` of a call that file_begin has begun, with what the query tells; the first input also
 * decides the form of the answer. An input that is there already is refused. */
bool file_decode(struct arena *arena, const struct codec_limits *limits, enum call_form form, struct bytes content,
                 const struct query *query, int index, struct call *call, struct problem *err);

/* Fills *err with a sentence about the file of this input, which begins with the input's name; returns false. */
bool file_refuse(const struct call_input *input, struct problem *err, enum problem_code code, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

#endif
