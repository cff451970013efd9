#include "tests/api/vectors.h"
#include "tests/api/vectors_protobuf.h"

static const struct codec protobuf = {codec_protobuf_decode, codec_protobuf_encode};

START_TEST(there_and_back)
{
    check_vector(&protobuf, &protobuf_vectors[_i]);
}
END_TEST

START_TEST(mutations)
{
    check_mutations(&protobuf, &protobuf_vectors[_i]);
}
END_TEST

START_TEST(no_memory)
{
    check_scarce(&protobuf, &protobuf_vectors[_i]);
}
END_TEST

/* Fields in hand-made messages: number << 3 | wire type. */
#define DIMS "\x08"
#define TYPE "\x10"
#define SEGMENT "\x1a"
#define FLOAT "\x25" /* one, not packed */
#define INT32 "\x28" /* one, not packed */
#define STRING "\x32"
#define INT64 "\x38"
#define RAW "\x4a"
#define UINT64 "\x58"
#define EXTERNAL "\x6a"
#define LOCATION "\x70"

static const struct {
    const char *what;
    struct bytes file;
    enum problem_code code;
    const char *says;
} refused[] = {
    {"nothing", BYTES(""), PROBLEM_UNSUPPORTED_DATATYPE, "data_type 0"},
    {"no type", BYTES(DIMS "\1" RAW "\1a"), PROBLEM_UNSUPPORTED_DATATYPE, "data_type 0"},
    {"type 0", BYTES(DIMS "\1" TYPE "\0" RAW "\1a"), PROBLEM_UNSUPPORTED_DATATYPE, "data_type 0"},
    {"type 27", BYTES(DIMS "\1" TYPE "\33" RAW "\1a"), PROBLEM_UNSUPPORTED_DATATYPE, "data_type 27"},
    {"type -1", BYTES(TYPE "\377\377\377\377\377\377\377\377\377\1" RAW "\1a"), PROBLEM_UNSUPPORTED_DATATYPE, "data_type -1"},
    {"cut value", BYTES(TYPE "\2" RAW "\5abcd"), PROBLEM_INVALID_DATA, "protobuf"},
    {"cut tag", BYTES(TYPE "\2\xff"), PROBLEM_INVALID_DATA, "protobuf"},
    {"field 0", BYTES(TYPE "\2" RAW "\1a\0\0"), PROBLEM_INVALID_DATA, "protobuf"},
    {"text", BYTES("[1, 2, 3]"), PROBLEM_INVALID_DATA, "protobuf"},
    {"negative size", BYTES(DIMS "\377\377\377\377\377\377\377\377\377\1" TYPE "\2" RAW "\1a"), PROBLEM_INVALID_SHAPE,
     "dims of the TensorProto has the negative size -1"},
    {"sizes that overflow", BYTES(DIMS "\200\200\200\200\20" DIMS "\200\200\200\200\20" TYPE "\2" RAW "\1a"),
     PROBLEM_INVALID_SHAPE, "not representable"},
    {"external location", BYTES(DIMS "\1" TYPE "\2" LOCATION "\1"), PROBLEM_NOT_OFFERED, "external"},
    {"external entries", BYTES(DIMS "\1" TYPE "\2" EXTERNAL "\0" RAW "\1a"), PROBLEM_NOT_OFFERED, "external"},
    {"segment", BYTES(DIMS "\1" TYPE "\2" SEGMENT "\0" RAW "\1a"), PROBLEM_NOT_OFFERED, "segment"},
    {"two fields", BYTES(DIMS "\1" TYPE "\6" INT32 "\1" RAW "\4abcd"), PROBLEM_INVALID_DATA, "in raw_data and in int32_data"},
    {"two fields, raw_data empty", BYTES(DIMS "\1" TYPE "\6" INT32 "\1" RAW "\0"), PROBLEM_INVALID_DATA,
     "in raw_data and in int32_data"},
    {"INT32 in float_data", BYTES(DIMS "\1" TYPE "\6" FLOAT "abcd"), PROBLEM_INVALID_DATA, "use int32_data"},
    {"FP32 in int32_data", BYTES(DIMS "\1" TYPE "\1" INT32 "\1"), PROBLEM_INVALID_DATA, "use float_data"},
    {"INT64 in int32_data", BYTES(DIMS "\1" TYPE "\7" INT32 "\1"), PROBLEM_INVALID_DATA, "use int64_data"},
    {"UINT32 in int64_data", BYTES(DIMS "\1" TYPE "\14" INT64 "\1"), PROBLEM_INVALID_DATA, "use uint64_data"},
    {"strings in raw_data", BYTES(DIMS "\1" TYPE "\10" RAW "\1a"), PROBLEM_INVALID_DATA, "use string_data"},
    {"INT8 in string_data", BYTES(DIMS "\1" TYPE "\3" STRING "\1a"), PROBLEM_INVALID_DATA, "use int32_data"},
    {"no values", BYTES(DIMS "\1" TYPE "\2"), PROBLEM_INVALID_DATA, "takes 1 bytes of raw_data"},
    {"no strings", BYTES(DIMS "\1" TYPE "\10"), PROBLEM_INVALID_DATA, "takes 1 entries of string_data"},
    {"one byte too few", BYTES(DIMS "\2" TYPE "\3" RAW "\1a"), PROBLEM_INVALID_DATA, "but the TensorProto has 1"},
    {"one byte too many", BYTES(DIMS "\2" TYPE "\3" RAW "\3abc"), PROBLEM_INVALID_DATA, "but the TensorProto has 3"},
    {"INT4 a byte too long", BYTES(DIMS "\2" TYPE "\26" RAW "\2ab"), PROBLEM_INVALID_DATA, "takes 1 bytes of raw_data"},
    {"INT4 one an entry", BYTES(DIMS "\2" TYPE "\26" INT32 "\1" INT32 "\2"), PROBLEM_INVALID_DATA, "takes 1 entries"},
    {"half a complex number", BYTES(DIMS "\1" TYPE "\16" FLOAT "abcd"), PROBLEM_INVALID_DATA, "takes 2 entries"},
    {"one entry for 32", BYTES(DIMS "\40" TYPE "\2" INT32 "\1"), PROBLEM_INVALID_DATA, "takes 32 entries of int32_data"},
    {"UINT8 300", BYTES(DIMS "\1" TYPE "\2" INT32 "\254\2"), PROBLEM_INVALID_DATA, "0 to 255"},
    {"UINT8 -1", BYTES(DIMS "\1" TYPE "\2" INT32 "\377\377\377\377\377\377\377\377\377\1"), PROBLEM_INVALID_DATA, "0 to 255"},
    {"INT8 128", BYTES(DIMS "\1" TYPE "\3" INT32 "\200\1"), PROBLEM_INVALID_DATA, "-128 to 127"},
    {"BOOL 2", BYTES(DIMS "\1" TYPE "\11" INT32 "\2"), PROBLEM_INVALID_DATA, "0 to 1"},
    {"FP16 0x10000", BYTES(DIMS "\1" TYPE "\12" INT32 "\200\200\4"), PROBLEM_INVALID_DATA, "-32768 to 65535"},
    {"INT4 0x100", BYTES(DIMS "\1" TYPE "\26" INT32 "\200\2"), PROBLEM_INVALID_DATA, "-128 to 255"},
    {"UINT32 2^32", BYTES(DIMS "\1" TYPE "\14" UINT64 "\200\200\200\200\20"), PROBLEM_INVALID_DATA, "0 to 4294967295"},
    {"UINT32 2^64-1", BYTES(DIMS "\1" TYPE "\14" UINT64 "\377\377\377\377\377\377\377\377\377\1"), PROBLEM_INVALID_DATA,
     "0 to 4294967295"},
};

START_TEST(refuses)
{
    struct trip t;
    trip_begin(&t, &memory_heap);
    ck_assert_msg(!trip_decode(&t, &protobuf, refused[_i].file, DTYPE_NONE), "not refused: %s", refused[_i].what);
    ck_assert_msg(strstr(t.err.detail, refused[_i].says) != NULL, "%s: \"%s\" does not say \"%s\"", refused[_i].what,
                  t.err.detail, refused[_i].says);
    ck_assert_str_eq(problem_info(t.err.code)->code, problem_info(refused[_i].code)->code);
    ck_assert_str_eq(t.err.pointer, "/input");
    trip_end(&t);
}
END_TEST

START_TEST(refuses_rank_65)
{
    uint8_t file[2 * (SHAPE_MAX_RANK + 1) + 5];
    for (size_t i = 0; i <= SHAPE_MAX_RANK; i++)
        memcpy(file + 2 * i, DIMS "\1", 2);
    memcpy(file + sizeof(file) - 5, TYPE "\2" RAW "\1a", 5);
    struct trip t;
    trip_begin(&t, &memory_heap);
    ck_assert(!trip_decode(&t, &protobuf, (struct bytes){file, sizeof(file)}, DTYPE_NONE));
    ck_assert_ptr_nonnull(strstr(t.err.detail, "65 dims"));
    trip_end(&t);
}
END_TEST

/* Bits of narrow floats and packed entries may have been sign-extended on the way; raw_data that comes last wins. */
static const struct {
    struct bytes file;
    uint8_t want;
} lenient[] = {
    {BYTES(DIMS "\1" TYPE "\21" INT32 "\377\377\377\377\377\377\377\377\377\1"), 0xff},
    {BYTES(DIMS "\2" TYPE "\26" INT32 "\202\377\377\377\377\377\377\377\377\1"), 0x82},
    {BYTES(RAW "\3xyz" TYPE "\3" DIMS "\1" TYPE "\2" RAW "\1a"), 'a'},
};

START_TEST(takes)
{
    struct trip t;
    trip_begin(&t, &memory_heap);
    ck_assert_msg(trip_decode(&t, &protobuf, lenient[_i].file, DTYPE_NONE), "%s", t.err.detail);
    ck_assert_int_eq(*(const uint8_t *)t.call.in[0].tensor.data, lenient[_i].want);
    trip_end(&t);
}
END_TEST

/* ---- memory ---- */

/* A message of `n` bytes of raw_data, or of as many fields of two bytes. */
static bool decode_counted(const char *start, size_t start_len, size_t n, uint8_t first, uint8_t second,
                           struct scarce *scarce, struct problem *err)
{
    const struct memory memory = scarce_memory(scarce);
    uint8_t *file = malloc(start_len + n);
    memcpy(file, start, start_len);
    for (size_t i = 0; i < n; i++)
        file[start_len + i] = i % 2 == 0 ? first : second;
    struct trip t;
    trip_begin(&t, &memory);
    bool ret = trip_decode(&t, &protobuf, (struct bytes){file, start_len + n}, DTYPE_NONE);
    *err = t.err;
    trip_end(&t);
    free(file);
    return ret;
}

START_TEST(copies_raw_data_once)
{
    static const char start[] = DIMS "\200\200\200\2" TYPE "\2" RAW "\200\200\200\2"; /* 2^22 bytes */
    const size_t n = (size_t)1 << 22;
    struct scarce scarce = {.total = 0};
    struct problem err;
    ck_assert(decode_counted(start, sizeof(start) - 1, n, 1, 2, &scarce, &err));
    ck_assert_uint_lt(scarce.total, n + n / 16);
}
END_TEST

/* Bookkeeping of protobuf-c is a multiple of the message; what is refused is refused as the client's fault. */
START_TEST(bounds_the_bookkeeping)
{
    static const char start[] = DIMS "\1" TYPE "\2";
    const size_t n = (size_t)16 << 20;
    struct scarce scarce = {.total = 0};
    struct problem err;
    ck_assert(!decode_counted(start, sizeof(start) - 1, n, 0x78, 1, &scarce, &err)); /* field 15, unknown */
    ck_assert_int_eq(err.code, PROBLEM_INVALID_DATA);
    ck_assert_ptr_nonnull(strstr(err.detail, "too many fields"));
    ck_assert_uint_lt(scarce.total, 10 * n + ((size_t)257 << 20));
}
END_TEST

/* ---- answers ---- */

static const struct {
    int64_t elements; /* UINT8 */
    uint64_t max_bytes;
    bool fits;
} limits[] = {
    {1000, 1016, true},                     /* dims 3, data_type 2, name 8, raw_data 3 and 1000 */
    {1000, 1015, false},
    {INT32_MAX - 24, UINT64_MAX, true},     /* dims 6, data_type 2, name 8, raw_data 6 */
    {INT32_MAX - 21, UINT64_MAX, false},
};

START_TEST(keeps_the_limit)
{
    static const uint8_t zero = 0;
    struct trip t;
    trip_begin(&t, &memory_heap);
    struct tensor view;
    tensor_init(&t.call.in[0].tensor, DTYPE_UINT8, &(struct shape){1, {1}}, &zero);
    tensor_init(&view, DTYPE_UINT8, &(struct shape){1, {limits[_i].elements}}, &zero);
    view.stride[0] = 0;
    struct output output = trip_output(&t);
    output.view = &view;
    output.max_bytes = limits[_i].max_bytes;
    ck_assert((codec_protobuf_encode(&output) != NULL) == limits[_i].fits);
    ck_assert_int_eq(t.err.code, limits[_i].fits ? PROBLEM_NONE : PROBLEM_OUTPUT_TOO_LARGE);
    trip_end(&t);
}
END_TEST

SUITE("codec_protobuf", TEST_ROWS(there_and_back, protobuf_vectors) TEST_ROWS(mutations, protobuf_vectors)
      TEST_ROWS(no_memory, protobuf_vectors) TEST_ROWS(refuses, refused) TEST_ONE(refuses_rank_65)
      TEST_ROWS(takes, lenient) TEST_ONE(copies_raw_data_once) TEST_ONE(bounds_the_bookkeeping)
      TEST_ROWS(keeps_the_limit, limits))
