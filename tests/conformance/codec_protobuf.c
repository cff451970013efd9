/* TensorProto files: as the whole body with the small tensor in the query, or each as a part of a form. This is what
 *     curl --data-binary @input_0.pb '.../infer?axes=0,4' -H 'Content-Type: application/x-protobuf'
 *     curl -F input=@input_0.pb -F shape=@input_1.pb .../infer
 * send. */
#include <inttypes.h>

#include "tests/conformance/codec.h"
#include "tests/conformance/number.h"
#include "tests/conformance/tensorproto.h"
#include "tests/conformance/text.h"

static const char media_type[] = "application/x-protobuf";

static bool decode(const struct test_case *test, struct arena *arena, const struct response *response,
                   struct array *ret, struct reason *why)
{
    const Conform__TensorProto *proto = NULL;
    (void)test;
    return tensorproto_unpack(arena, response->body, &proto, why) && tensorproto_read(arena, proto, ret, why);
}

/* An attribute goes into the query in both forms. */
static const char *axes_query(const struct test_case *test, struct arena *arena)
{
    return test->axes != NULL ? arena_printf(arena, "axes=%s", test->axes) : NULL;
}

/* ---- protobuf -------------------------------------------------------------------------------------------------- */

static bool query_carries(const struct test_case *test, struct arena *arena, struct reason *why)
{
    (void)arena;
    if (test->inputs < 2)
        return true;
    const struct array *small = &test->in[1].array;
    return (small->dtype == DTYPE_INT64 && small->shape.rank == 1) ||
           because(why, "the query can carry %s only as INT64 of rank 1", test->in[1].name);
}

/* "shape=2,3,6" */
static const char *small_query(const struct case_input *small, struct arena *arena)
{
    struct text text;
    text_open(&text);
    fprintf(text.out, "%s=", small->name);
    for (int64_t i = 0; i < small->array.elements; i++)
        fprintf(text.out, "%s%" PRId64, i > 0 ? "," : "", (int64_t)number_get(small->array.data, 64, i));
    return (const char *)text_close(&text, arena).ptr;
}

static void encode_body(const struct test_case *test, struct arena *arena, struct request *ret)
{
    *ret = (struct request){
        .query = test->inputs > 1 ? small_query(&test->in[1], arena) : axes_query(test, arena),
        .type = media_type,
        .accept = media_type,
        .head = -1,
        .body = tensorproto_pack(arena, test->in[0].proto),
    };
}

const struct codec codec_protobuf = {"protobuf", query_carries, encode_body, decode};

/* ---- multipart ------------------------------------------------------------------------------------------------- */

static void encode_parts(const struct test_case *test, struct arena *arena, struct request *ret)
{
    *ret = (struct request){.query = axes_query(test, arena), .accept = media_type, .head = -1, .parts = test->inputs};
    for (int i = 0; i < test->inputs; i++)
        ret->part[i] = (struct part){
            .name = test->in[i].name,
            .file = arena_printf(arena, "input_%d.pb", i),
            .type = media_type,
            .content = tensorproto_pack(arena, test->in[i].proto),
        };
}

const struct codec codec_multipart = {"multipart", NULL, encode_parts, decode};
