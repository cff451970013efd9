// Decimal text to binary and back. Most numbers take a short way whose result is certain; where it is not (too close to
// the middle between two values of the type), the digits themselves decide.
#include "api/number_private.h"
#include "api/number_shortest.h"

namespace {

using namespace number;

// ---- integers ------------------------------------------------------------------------------------------------------

// Multiplies the power of ten into the digits, so that 1.0 and 1e2 are integers.
number_code to_magnitude(const decimal &in, uint64_t *ret)
{
    uint64_t value = in.digits;
    int64_t exponent = value == 0 ? 0 : in.exponent;
    for (; exponent < 0 && value % 10 == 0; exponent++)
        value /= 10;
    if (exponent < 0 || (!in.exact && exponent == 0))
        return NUMBER_NOT_INTEGER;
    if (!in.exact)
        return NUMBER_OUT_OF_RANGE;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(value, 10u, &value))
            return NUMBER_OUT_OF_RANGE;
    *ret = value;
    return NUMBER_OK;
}

template <class T, int bits> number_code read_integer(const decimal *in, void *out)
{
    constexpr bool has_sign = std::is_signed_v<T>;
    constexpr uint64_t max = (~uint64_t(0) >> (64 - bits)) >> (has_sign ? 1 : 0);
    uint64_t magnitude = in->digits;
    if (in->exponent != 0 || !in->exact) {
        number_code code = to_magnitude(*in, &magnitude);
        if (code != NUMBER_OK)
            return code;
    }
    if (magnitude > max + (has_sign && in->negative ? 1 : 0) || (!has_sign && in->negative && magnitude != 0))
        return NUMBER_OUT_OF_RANGE;
    store(static_cast<T>(in->negative ? 0 - magnitude : magnitude), out);
    return NUMBER_OK;
}

template <class T, int bits> size_t write_integer(const void *in, char *out)
{
    T value = load<T>(in);
    if constexpr (bits < 8) { // the sign is the top one of the bits
        unsigned code = static_cast<unsigned>(value) & ((1u << bits) - 1);
        unsigned sign = std::is_signed_v<T> ? code & (1u << (bits - 1)) : 0;
        value = static_cast<T>(static_cast<int>(code) - 2 * static_cast<int>(sign));
    }
    return static_cast<size_t>(std::to_chars(out, out + NUMBER_MAX_TEXT, value).ptr - out);
}

number_code read_bool(const decimal *in, void *out)
{
    return read_integer<uint8_t, 1>(in, out);
}

size_t write_bool(const void *in, char *out)
{
    bool value = load<uint8_t>(in) != 0;
    std::memcpy(out, value ? "true" : "false", 5);
    return value ? 4 : 5;
}

// ---- FP32 and FP64 -------------------------------------------------------------------------------------------------

// FP64 alone is left to the library.
size_t write_double(const void *in, char *out)
{
    double value = load<double>(in);
    if (!std::isfinite(value))
        return write_special(std::isnan(value) ? NUMBER_NAN : value > 0 ? NUMBER_INFINITY : NUMBER_MINUS_INFINITY, out);
    double a = std::fabs(value);
    bool plain = (a >= 1e-4 && a < 1e16) || a == 0; // is_plain
    auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    char *end = std::to_chars(out, out + NUMBER_MAX_TEXT, value, format).ptr;
    if (plain && a == std::trunc(a)) {
        *end++ = '.';
        *end++ = '0';
    }
    return static_cast<size_t>(end - out);
}

bool special_double(number_special value, void *out)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr double values[] = {std::numeric_limits<double>::quiet_NaN(), inf, -inf};
    store(values[value], out);
    return true;
}

template <class T> number_code finish(const decimal &in, T magnitude, void *out)
{
    constexpr T signs[] = {1, -1}; // signs come at random: no branch
    if (std::isinf(magnitude))
        return NUMBER_OUT_OF_RANGE;
    store(magnitude * signs[in.negative], out);
    return NUMBER_OK;
}

number_code read_double(const decimal *in, void *out)
{
    return finish(*in, nearest(*in), out);
}

// An estimate rounds to the same float as the number itself unless the middle between two floats is as near as its error.
bool rounds_surely(double near)
{
    constexpr int dropped = 52 - 23;
    constexpr int64_t middle = int64_t(1) << (dropped - 1);
    int64_t low = bit_cast<int64_t>(near) & ((int64_t(1) << dropped) - 1);
    bool normal = near > 2 * double(std::numeric_limits<float>::min()) &&
                  near < double(std::numeric_limits<float>::max());
    return normal && (low < middle - estimate_ulps || low > middle + estimate_ulps);
}

number_code read_float(const decimal *in, void *out)
{
    if (has_estimate(*in)) {
        double near = estimate(*in);
        if (rounds_surely(near))
            return finish(*in, static_cast<float>(near), out);
    }
    return finish(*in, nearest_to_text<float>(*in), out);
}

// ---- the table -----------------------------------------------------------------------------------------------------

struct row {
    dtype type;
    number_type number;
};

template <class T, int bits> constexpr number_type integer(const char *range)
{
    return {sizeof(T), 20, range, read_integer<T, bits>, write_integer<T, bits>, nullptr};
}

template <const format &F> constexpr number_type small(const char *range)
{
    return {sizeof(stored<F>), 24, range, read_small<F>, write_short<F>, special_value<F>};
}

constexpr number_type single = {4,          20, "-3.4028235e+38 to 3.4028235e+38",
                                read_float, write_short<fp32>, special_value<fp32>};
constexpr number_type twice = {8,           25, "-1.7976931348623157e+308 to 1.7976931348623157e+308",
                               read_double, write_double, special_double};

constexpr row rows[] = {
    {DTYPE_NONE, {}},
    {DTYPE_FP32, single},
    {DTYPE_UINT8, integer<uint8_t, 8>("0 to 255")},
    {DTYPE_INT8, integer<int8_t, 8>("-128 to 127")},
    {DTYPE_UINT16, integer<uint16_t, 16>("0 to 65535")},
    {DTYPE_INT16, integer<int16_t, 16>("-32768 to 32767")},
    {DTYPE_INT32, integer<int32_t, 32>("-2147483648 to 2147483647")},
    {DTYPE_INT64, integer<int64_t, 64>("-9223372036854775808 to 9223372036854775807")},
    {DTYPE_BYTES, {}},
    {DTYPE_BOOL, {1, 5, "false, true, 0 or 1", read_bool, write_bool, nullptr}},
    {DTYPE_FP16, small<fp16>("-65504 to 65504")},
    {DTYPE_FP64, twice},
    {DTYPE_UINT32, integer<uint32_t, 32>("0 to 4294967295")},
    {DTYPE_UINT64, integer<uint64_t, 64>("0 to 18446744073709551615")},
    {DTYPE_COMPLEX64, single},
    {DTYPE_COMPLEX128, twice},
    {DTYPE_BF16, small<bf16>("-3.3895314e+38 to 3.3895314e+38")},
    {DTYPE_FP8_E4M3FN, small<e4m3fn>("-448 to 448")},
    {DTYPE_FP8_E4M3FNUZ, small<e4m3fnuz>("-240 to 240")},
    {DTYPE_FP8_E5M2, small<e5m2>("-57344 to 57344")},
    {DTYPE_FP8_E5M2FNUZ, small<e5m2fnuz>("-57344 to 57344")},
    {DTYPE_UINT4, integer<uint8_t, 4>("0 to 15")},
    {DTYPE_INT4, integer<int8_t, 4>("-8 to 7")},
    {DTYPE_FP4_E2M1, small<e2m1>("-6 to 6")},
    {DTYPE_FP8_E8M0, small<e8m0>("above 0, to 1.7014118e+38")},
    {DTYPE_UINT2, integer<uint8_t, 2>("0 to 3")},
    {DTYPE_INT2, integer<int8_t, 2>("-2 to 1")},
};

constexpr bool in_order()
{
    for (int i = 0; i < DTYPE_END; i++)
        if (rows[i].type != i)
            return false;
    return true;
}
static_assert(sizeof(rows) / sizeof(rows[0]) == DTYPE_END && in_order(), "a row for every type, at its number");

} // namespace

const number_type *number_type_of(enum dtype type)
{
    return rows[type].number.read != nullptr ? &rows[type].number : nullptr;
}

const char *number_special_name(enum number_special value)
{
    return special_names[value];
}
