// Floats of at most 32 bits, all by one description of a format.
// Private to number.cc.
#ifndef API_NUMBER_FORMAT_H
#define API_NUMBER_FORMAT_H

#include "api/number_private.h"

namespace number {

// A type of at most 32 bits. The code of a magnitude is its place among all magnitudes, from 0 up, in every one of them.
struct format {
    int mantissa;  // bits
    int min_exponent; // of the smallest normal number: its binary exponent
    unsigned max;  // code of the largest finite magnitude
    unsigned sign; // the sign's bit; 0: there are no negative numbers
    unsigned nan;  // code of the canonical quiet NaN; 0: none
    unsigned infinity; // code of infinity; 0: none
    bool minus_zero;
};

constexpr format fp32 = {23, -126, 0x7f7fffff, 0x80000000, 0x7fc00000, 0x7f800000, true};
constexpr format fp16 = {10, -14, 0x7bff, 0x8000, 0x7e00, 0x7c00, true};
constexpr format bf16 = {7, -126, 0x7f7f, 0x8000, 0x7fc0, 0x7f80, true};
constexpr format e4m3fn = {3, -6, 0x7e, 0x80, 0x7f, 0, true};
constexpr format e4m3fnuz = {3, -7, 0x7f, 0x80, 0x80, 0, false};
constexpr format e5m2 = {2, -14, 0x7b, 0x80, 0x7e, 0x7c, true};
constexpr format e5m2fnuz = {2, -15, 0x7f, 0x80, 0x80, 0, false};
constexpr format e2m1 = {1, 0, 0x7, 0x8, 0, 0, true};
constexpr format e8m0 = {0, -127, 0xfe, 0, 0xff, 0, false}; // powers of two: neither zero nor subnormals

inline double power_of_two(int exponent)
{
    return bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

inline int binary_exponent(double a)
{
    return static_cast<int>(bit_cast<uint64_t>(a) >> 52) - 1023;
}

// The binary exponent of a magnitude, as far down as the format has exponents.
template <const format &F> int exponent_of(double a)
{
    int exponent = binary_exponent(a);
    return exponent < F.min_exponent ? F.min_exponent : exponent;
}

// The distance of neighbours at a magnitude, a power of two.
template <const format &F> double unit_of(double a)
{
    return power_of_two(exponent_of<F>(a) - F.mantissa);
}

// The value of a code that is finite.
template <const format &F> double magnitude(unsigned code)
{
    int step = static_cast<int>(code >> F.mantissa);
    unsigned fraction = code & ((1u << F.mantissa) - 1);
    if (F.mantissa == fp32.mantissa)
        return double(bit_cast<float>(code));
    if (F.mantissa == 0)
        return power_of_two(F.min_exponent + step);
    if (step == 0)
        return fraction * power_of_two(F.min_exponent - F.mantissa);
    return (fraction + (1u << F.mantissa)) * power_of_two(F.min_exponent - F.mantissa + step - 1);
}

// What an element is stored in.
template <const format &F>
using stored = std::conditional_t<(F.max > 0xffff), uint32_t, std::conditional_t<(F.max > 0xff), uint16_t, uint8_t>>;

template <const format &F> bool special_value(number_special value, void *out)
{
    unsigned code = value == NUMBER_NAN ? F.nan : F.infinity;
    if (code == 0)
        return false;
    store(static_cast<stored<F>>(value == NUMBER_MINUS_INFINITY ? code | F.sign : code), out);
    return true;
}

} // namespace number

#endif
