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

// 10^-47 to 10^47, correctly rounded; exact from 1 to 10^22.
constexpr double powers[] = {
    1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36,
    1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24,
    1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12,
    1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,
    1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
    1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24,
    1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36,
    1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47,
};
constexpr int64_t max_power = 47;
static_assert(sizeof(powers) / sizeof(powers[0]) == 2 * max_power + 1);

constexpr double power_of_ten(int64_t exponent)
{
    return powers[exponent + max_power];
}

inline bool has_estimate(const decimal &in)
{
    return in.exponent >= -max_power && in.exponent <= max_power;
}

// Near the number, its sign left aside: rounded three times at most, once each for digits, power and product.
inline double estimate(const decimal &in)
{
    return static_cast<double>(in.digits) * power_of_ten(in.exponent);
}

// How far an estimate can be off, in units of its last place: the three roundings, and digits that were cut off after 19.
constexpr int estimate_ulps = 4;

// digits and power are exact as doubles, and IEEE 754 rounds their product or quotient once: it is the nearest double.
inline bool is_exact(const decimal &in)
{
    constexpr int64_t exact_power = 22;
    constexpr uint64_t exact_digits = uint64_t(1) << 53;
    return in.exact && in.digits <= exact_digits && in.exponent >= -exact_power && in.exponent <= exact_power;
}

inline double exact_value(const decimal &in)
{
    double digits = static_cast<double>(in.digits);
    return in.exponent < 0 ? digits / power_of_ten(-in.exponent) : digits * power_of_ten(in.exponent);
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
template <class T> __attribute__((noinline)) T nearest_to_text(const decimal &in)
{
    const char *begin = in.text + (in.negative ? 1 : 0);
    T value = 0;
    std::from_chars_result result = std::from_chars(begin, in.text + in.len, value);
    if (result.ec == std::errc::result_out_of_range) // tells of a zero as well as of an infinity
        return in.exponent < 0 ? T(0) : std::numeric_limits<T>::infinity();
    return value;
}

// The nearest double, its sign left aside; infinity when it is too large.
inline double nearest(const decimal &in)
{
    return is_exact(in) ? exact_value(in) : nearest_to_text<double>(in);
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
// a reader sees a float. `exponent` is that of the first digit.
constexpr int max_whole = 16; // digits before the point
constexpr bool is_plain(int exponent)
{
    return exponent >= -4 && exponent < max_whole;
}

} // namespace number

#endif
