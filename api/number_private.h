// What the readers and writers of all numbers share: the first estimate, the exact last resort, and the layout of text.
// Private to number.cc.
#ifndef API_NUMBER_PRIVATE_H
#define API_NUMBER_PRIVATE_H

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

namespace number {

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
inline double scale(uint64_t digits, int64_t exponent)
{
    double d = static_cast<double>(digits);
    return exponent < 0 ? d / powers[-exponent] : d * powers[exponent];
}

inline bool has_estimate(const decimal &in)
{
    return in.exponent >= -max_power && in.exponent <= max_power;
}

// How far an estimate can be off, in units of its last place: three roundings, and digits that were cut off after 19.
constexpr int estimate_ulps = 4;

// One rounding only: IEEE 754 makes the result the nearest double.
inline bool is_exact(const decimal &in)
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

// ---- text -----------------------------------------------------------------------------------------------------------

constexpr const char *special_names[] = {"NaN", "Infinity", "-Infinity"};

inline size_t write_special(number_special value, char *out)
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

} // namespace number

#endif
