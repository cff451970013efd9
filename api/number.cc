// Decimal text to binary and back. Most numbers take a short way whose result is certain; where it is not (too close to
// the middle between two values of the type), the digits themselves decide.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // C lets a function have the name of a struct
#include "api/number.h"
#pragma GCC diagnostic pop

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

namespace {

// ---- powers of ten and estimates -----------------------------------------------------------------------------------

// Exact up to 10^22, correctly rounded above.
constexpr double powers[] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31,
    1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47,
};
constexpr int64_t max_power = sizeof(powers) / sizeof(powers[0]) - 1;
constexpr int64_t max_exact_power = 22;
constexpr uint64_t max_exact_digits = uint64_t(1) << 53;

// digits * 10^exponent with three roundings at most: of the digits, of the power, of the product.
double scale(uint64_t digits, int64_t exponent)
{
    double d = static_cast<double>(digits);
    return exponent < 0 ? d / powers[-exponent] : d * powers[exponent];
}

bool has_estimate(const decimal &in)
{
    return in.exponent >= -max_power && in.exponent <= max_power;
}

// How far an estimate can be off, in units of its last place: three roundings, and digits that were cut off after 19.
constexpr int estimate_ulps = 4;

// One rounding only: IEEE 754 makes the result the nearest double.
bool is_exact(const decimal &in)
{
    return in.exact && in.digits <= max_exact_digits && in.exponent >= -max_exact_power &&
           in.exponent <= max_exact_power;
}

template <class To, class From> To bit_cast(const From &from)
{
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

template <class T> void store(T value, void *out)
{
    std::memcpy(out, &value, sizeof(value));
}

template <class T> T load(const void *in)
{
    T value;
    std::memcpy(&value, in, sizeof(value));
    return value;
}

// The nearest value to the text, its sign left aside; infinity when it is too large.
template <class T> T nearest(const decimal &in)
{
    const char *begin = in.text + (in.negative ? 1 : 0);
    T value = 0;
    std::from_chars_result result = std::from_chars(begin, in.text + in.len, value);
    if (result.ec == std::errc::result_out_of_range) // tells of a zero as well as of an infinity
        return in.exponent < 0 ? T(0) : std::numeric_limits<T>::infinity();
    return value;
}

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

constexpr const char *special_names[] = {"NaN", "Infinity", "-Infinity"};

size_t write_special(number_special value, char *out)
{
    size_t len = std::strlen(special_names[value]);
    out[0] = '"';
    std::memcpy(out + 1, special_names[value], len);
    out[len + 1] = '"';
    return len + 2;
}

// The layout of Python's repr: plain from 1e-4 to below 1e16, else with an exponent; never without '.' or 'e', so that
// a reader sees a float.
template <class T> size_t write_finite(T value, char *out)
{
    T a = std::fabs(value);
    bool plain = (a >= T(1e-4) && a < T(1e16)) || a == 0;
    auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
    char *end = std::to_chars(out, out + NUMBER_MAX_TEXT, value, format).ptr;
    if (plain && a == std::trunc(a)) {
        *end++ = '.';
        *end++ = '0';
    }
    return static_cast<size_t>(end - out);
}

template <class T> size_t write_float(const void *in, char *out)
{
    T value = load<T>(in);
    if (std::isfinite(value))
        return write_finite(value, out);
    number_special special = std::isnan(value) ? NUMBER_NAN : value > 0 ? NUMBER_INFINITY : NUMBER_MINUS_INFINITY;
    return write_special(special, out);
}

template <class T> bool special_float(number_special value, void *out)
{
    constexpr T inf = std::numeric_limits<T>::infinity();
    store(value == NUMBER_NAN ? std::numeric_limits<T>::quiet_NaN() : value == NUMBER_INFINITY ? inf : -inf, out);
    return true;
}

template <class T> number_code finish(const decimal &in, T magnitude, void *out)
{
    if (std::isinf(magnitude))
        return NUMBER_OUT_OF_RANGE;
    store(in.negative ? -magnitude : magnitude, out);
    return NUMBER_OK;
}

number_code read_double(const decimal *in, void *out)
{
    return finish(*in, is_exact(*in) ? scale(in->digits, in->exponent) : nearest<double>(*in), out);
}

// An estimate rounds to the same float as the number itself unless the middle between two floats is as near as its error.
bool rounds_surely(double estimate)
{
    constexpr int dropped = 52 - 23;
    constexpr int64_t middle = int64_t(1) << (dropped - 1);
    int64_t low = bit_cast<int64_t>(estimate) & ((int64_t(1) << dropped) - 1);
    bool normal = estimate > 2 * double(std::numeric_limits<float>::min()) &&
                  estimate < double(std::numeric_limits<float>::max());
    return normal && (low < middle - estimate_ulps || low > middle + estimate_ulps);
}

number_code read_float(const decimal *in, void *out)
{
    if (has_estimate(*in)) {
        double estimate = scale(in->digits, in->exponent);
        if (rounds_surely(estimate))
            return finish(*in, static_cast<float>(estimate), out);
    }
    return finish(*in, nearest<float>(*in), out);
}

// ---- small floats --------------------------------------------------------------------------------------------------

// A type below 32 bits. The code of a magnitude is its place among all magnitudes, from 0 up, in every one of them.
struct format {
    int mantissa;  // bits
    int min_exponent; // of the smallest normal number: its binary exponent
    unsigned max;  // code of the largest finite magnitude
    unsigned sign; // the sign's bit; 0: there are no negative numbers
    unsigned nan;  // code of the canonical quiet NaN; 0: none
    unsigned infinity; // code of infinity; 0: none
    bool minus_zero;
};

constexpr format fp16 = {10, -14, 0x7bff, 0x8000, 0x7e00, 0x7c00, true};
constexpr format bf16 = {7, -126, 0x7f7f, 0x8000, 0x7fc0, 0x7f80, true};
constexpr format e4m3fn = {3, -6, 0x7e, 0x80, 0x7f, 0, true};
constexpr format e4m3fnuz = {3, -7, 0x7f, 0x80, 0x80, 0, false};
constexpr format e5m2 = {2, -14, 0x7b, 0x80, 0x7e, 0x7c, true};
constexpr format e5m2fnuz = {2, -15, 0x7f, 0x80, 0x80, 0, false};
constexpr format e2m1 = {1, 0, 0x7, 0x8, 0, 0, true};
constexpr format e8m0 = {0, -127, 0xfe, 0, 0xff, 0, false}; // powers of two: neither zero nor subnormals

double power_of_two(int exponent)
{
    return bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// A magnitude among the values of a format: base is the code at which its units begin to count.
struct placed {
    double units;
    double unit; // the distance of two neighbours, a power of two
    unsigned base;
};

template <const format &F> placed place(double a)
{
    int exponent = static_cast<int>(bit_cast<uint64_t>(a) >> 52) - 1023;
    if (exponent < F.min_exponent)
        exponent = F.min_exponent;
    double unit = power_of_two(exponent - F.mantissa);
    return {a / unit, unit, static_cast<unsigned>(exponent - F.min_exponent) << F.mantissa};
}

// The value of a code that is finite.
template <const format &F> double magnitude(unsigned code)
{
    int step = static_cast<int>(code >> F.mantissa);
    unsigned fraction = code & ((1u << F.mantissa) - 1);
    if (F.mantissa == 0)
        return power_of_two(F.min_exponent + step);
    if (step == 0)
        return fraction * power_of_two(F.min_exponent - F.mantissa);
    return (fraction + (1u << F.mantissa)) * power_of_two(F.min_exponent - F.mantissa + step - 1);
}

// Digits of the text one by one, without sign, leading zeros and exponent; '0' for ever after the last.
class digit_walk {
public:
    digit_walk(const char *text, size_t len) : next(text), end(text + len)
    {
        while (next < end && (*next == '-' || *next == '0' || *next == '.'))
            next++;
    }
    bool done() const
    {
        return next == end || *next == 'e' || *next == 'E';
    }
    char take()
    {
        if (next < end && *next == '.')
            next++;
        return done() ? '0' : *next++;
    }

private:
    const char *next, *end;
};

int64_t leading_exponent(const decimal &in)
{
    int64_t exponent = in.exponent;
    for (uint64_t rest = in.digits; rest >= 10; rest /= 10)
        exponent++;
    return exponent;
}

// Compares the text with a double of few bits, exactly: such a middle has at most 160 significant digits, all printed here.
int compare(const decimal &in, double middle)
{
    constexpr int places = 160;
    char text[places + 16];
    std::to_chars_result printed = std::to_chars(text, text + sizeof(text), middle, std::chars_format::scientific, places);
    int exponent = 0;
    const char *mark = static_cast<const char *>(std::memchr(text, 'e', sizeof(text)));
    std::from_chars(mark + (mark[1] == '+' ? 2 : 1), printed.ptr, exponent);
    int64_t ours = leading_exponent(in);
    if (ours != exponent)
        return ours < exponent ? -1 : 1;
    digit_walk a(in.text, in.len);
    digit_walk b(text, static_cast<size_t>(printed.ptr - text));
    while (!a.done() || !b.done()) {
        char left = a.take(), right = b.take();
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

// Where the number lies against the middle that is as near to it as the error of its estimate: -1, 0 or 1.
int side_of_middle(const decimal &in, const placed &p, double below)
{
    if (is_exact(in))
        return p.units - below < 0.5 ? -1 : p.units - below > 0.5 ? 1 : 0;
    return compare(in, (below + 0.5) * p.unit);
}

// The code nearest to the number; above F.max if it is too large.
template <const format &F> unsigned round_to(const decimal &in)
{
    double a = has_estimate(in) ? scale(in.digits, in.exponent) : nearest<double>(in);
    if (a > 2 * magnitude<F>(F.max))
        return F.max + 1;
    placed p = place<F>(a);
    double below = std::floor(p.units);
    double past_middle = p.units - below - 0.5;
    int side = past_middle < 0 ? -1 : 1;
    if (std::fabs(past_middle) <= p.units * (estimate_ulps * std::numeric_limits<double>::epsilon()))
        side = side_of_middle(in, p, below);
    unsigned units = static_cast<unsigned>(below);
    if (F.mantissa == 0) // the smallest code is one unit, not none; every middle goes up
        return units == 0 ? 0 : p.base + units - 1 + (side >= 0 ? 1 : 0);
    return p.base + units + (side > 0 || (side == 0 && units % 2 != 0) ? 1 : 0);
}

template <const format &F> using stored = std::conditional_t<(F.max > 0xff), uint16_t, uint8_t>;

template <const format &F> number_code read_small(const decimal *in, void *out)
{
    constexpr bool positive_only = F.sign == 0;
    if (positive_only && (in->negative || in->digits == 0))
        return NUMBER_OUT_OF_RANGE;
    unsigned code = round_to<F>(*in);
    if (code > F.max)
        return NUMBER_OUT_OF_RANGE;
    if (in->negative && (code != 0 || F.minus_zero))
        code |= F.sign;
    store(static_cast<stored<F>>(code), out);
    return NUMBER_OK;
}

// digits * 10^exponent as a decimal whose text is there if it may be needed.
decimal make_decimal(uint64_t digits, int exponent, char (&text)[NUMBER_MAX_TEXT])
{
    decimal ret = {digits, exponent, false, true, text, 0};
    if (is_exact(ret))
        return ret;
    char *end = std::to_chars(text, text + sizeof(text), digits).ptr;
    *end++ = 'e';
    ret.len = static_cast<size_t>(std::to_chars(end, text + sizeof(text), exponent).ptr - text);
    return ret;
}

// The double nearest to the decimal if that reads back to the code; else negative.
template <const format &F> double try_digits(double digits, int exponent, unsigned code)
{
    char text[NUMBER_MAX_TEXT];
    decimal decimal = make_decimal(static_cast<uint64_t>(digits), exponent, text);
    if (round_to<F>(decimal) != code)
        return -1;
    return is_exact(decimal) ? scale(decimal.digits, exponent) : nearest<double>(decimal);
}

int floor_log10(double a)
{
    int exponent = static_cast<int>(std::floor(std::log10(a)));
    // log10 may round up to a whole number just below a power of ten.
    return exponent >= 0 && exponent <= max_power && a < powers[exponent] ? exponent - 1 : exponent;
}

// A number of the fewest decimal digits that reads back to the code: the nearest of them to the value, or the next on
// its other side (below a power of two the values lie closer than above it).
template <const format &F> double shortest(unsigned code)
{
    double a = magnitude<F>(code);
    if (a == 0)
        return 0;
    int exponent = floor_log10(a);
    for (int places = 0;; places++) {
        int shift = places - exponent;
        double scaled = shift >= 0 ? a * powers[shift] : a / powers[-shift];
        double nearer = std::floor(scaled + 0.5);
        double other = nearer > scaled ? nearer - 1 : nearer + 1;
        for (double digits : {nearer, other}) {
            double found = try_digits<F>(digits, -shift, code);
            if (found > 0)
                return found;
        }
    }
}

template <const format &F> size_t write_small(const void *in, char *out)
{
    constexpr unsigned sign_mask = F.sign;
    unsigned raw = load<stored<F>>(in);
    if (F.sign == 0x8) // a 4-bit type
        raw &= 0xf;
    unsigned code = raw & ~sign_mask;
    bool negative = code != raw;
    bool only_nan = !F.minus_zero && F.nan != 0 && raw == F.nan;
    if (F.infinity != 0 && code == F.infinity)
        return write_special(negative ? NUMBER_MINUS_INFINITY : NUMBER_INFINITY, out);
    if (only_nan || code > F.max)
        return write_special(NUMBER_NAN, out);
    double value = shortest<F>(code);
    return write_finite(negative ? -value : value, out);
}

template <const format &F> bool special_small(number_special value, void *out)
{
    unsigned code = value == NUMBER_NAN ? F.nan : F.infinity;
    if (code == 0)
        return false;
    store(static_cast<stored<F>>(value == NUMBER_MINUS_INFINITY ? code | F.sign : code), out);
    return true;
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
    return {sizeof(stored<F>), 24, range, read_small<F>, write_small<F>, special_small<F>};
}

constexpr number_type single = {4,          20, "-3.4028235e+38 to 3.4028235e+38",
                                read_float, write_float<float>, special_float<float>};
constexpr number_type twice = {8,           25, "-1.7976931348623157e+308 to 1.7976931348623157e+308",
                               read_double, write_float<double>, special_float<double>};

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
