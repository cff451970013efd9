/* ONNX's TensorProto: the form of the files input_0.pb, output_0.pb and of initializers. */
#ifndef TESTS_CONFORMANCE_TENSORPROTO_H
#define TESTS_CONFORMANCE_TENSORPROTO_H

#include "tests/conformance/array.h"
#include "tests/conformance/onnx.pb-c.h"

/* Reads a message; the array may borrow from it and from the arena. Values may be in raw_data or in the typed field. */
bool tensorproto_read(struct arena *arena, const Conform__TensorProto *proto, struct array *ret, struct reason *why);

/* Unpacks a whole file or body; the message lives as long as the arena. */
bool tensorproto_unpack(struct arena *arena, struct bytes file, const Conform__TensorProto **ret, struct reason *why);

/* Packs a message as it is. */
struct bytes tensorproto_pack(struct arena *arena, const Conform__TensorProto *proto);

#endif
