// Writing floats of at most 32 bits with the fewest digits that read back to the same bits. A double holds such a value, the
// middles to its neighbours, and decimals of up to nine digits so well that it is almost always plain which decimals lie
// between those middles; where it is not, the decimal is read back.
// Private to number.cc.
#ifndef API_NUMBER_SHORTEST_H
#define API_NUMBER_SHORTEST_H

#include "api/number_small.h"

namespace number {

// digits * 10^exponent
struct shortest_decimal {
    uint32_t digits;
    int exponent;
};

template <const format &F> bool reads_back(const shortest_decimal &in, unsigned code)
{
    char text[NUMBER_MAX_TEXT];
    constexpr size_t max_digits = 10;
    size_t len = static_cast<size_t>(std::to_chars(text, text + max_digits, in.digits).ptr - text);
    text[len++] = 'e';
    len = static_cast<size_t>(std::to_chars(text + len, text + sizeof(text), in.exponent).ptr - text);
    decimal number = {in.digits, in.exponent, false, true, text, len};
    stored<F> read = 0;
    if constexpr (F.mantissa > fp16.mantissa)
        read = bit_cast<stored<F>>(nearest_to_text<float>(number));
    else
        read_small<F>(&number, &read);
    return read == code;
}

// floor(log10(2^exponent)), or of 3/4 of that: in units of 2^-20, log10(2) is 315653 and log10(3/4) is -131009.
constexpr int floor_log10(int exponent, bool three_quarters)
{
    return (exponent * 315653 - (three_quarters ? 131009 : 0)) >> 20;
}

inline uint32_t truncate(double value)
{
    return static_cast<uint32_t>(static_cast<int64_t>(value));
}

// To the nearest whole number, ties to even: what the addition leaves in the low bits of its sum.
inline uint32_t round_to_even(double value)
{
    return static_cast<uint32_t>(bit_cast<uint64_t>(value + 0x1p52));
}

inline shortest_decimal without_zeros(uint32_t digits, int exponent)
{
    for (; digits % 10000 == 0; exponent += 4)
        digits /= 10000;
    for (; digits % 10 == 0; exponent++)
        digits /= 10;
    return {digits, exponent};
}

// A value in units of a power of ten, and the middles to its neighbours: decimals between them read back to it.
struct window {
    double low, value, high;
};

// Nearer than this to an end it cannot be told whether a decimal is in: of 2^24 * 10, more than all roundings here.
constexpr double doubt = 1e-6;

template <const format &F> bool contains(const window &w, uint32_t digits, int exponent, unsigned code)
{
    if (digits > w.low + doubt && digits < w.high - doubt)
        return true;
    return digits >= w.low - doubt && digits <= w.high + doubt && reads_back<F>({digits, exponent}, code);
}

// Let 10^k be the largest power of ten that is not wider than the window. Of the multiples of 10^(k+1) at most one is in it,
// and if one is, no other decimal is shorter, unless that is one digit anyhow. Else the nearest multiple of 10^k is in it, or
// the next on its other side (below a power of two the values lie closer than above it).
template <const format &F> __attribute__((noinline)) shortest_decimal shortest_of(const window &fine, int k, unsigned code)
{
    const window coarse = {fine.low / 10, fine.value / 10, fine.high / 10};
    uint32_t only = truncate(coarse.high + doubt), nearest = round_to_even(fine.value);
    if (coarse.value >= 1 && contains<F>(coarse, only, k + 1, code))
        return without_zeros(only, k + 1);
    if (!contains<F>(fine, nearest, k, code))
        nearest = nearest > fine.value ? nearest - 1 : nearest + 1;
    return without_zeros(nearest, k);
}

// The same. Most values are far from all doubts, and then few questions are left and the one that nobody can foresee, whether
// there is a multiple of 10^(k+1), needs no branch.
template <const format &F> shortest_decimal shortest(unsigned code)
{
    double a = magnitude<F>(code);
    double unit = unit_of<F>(a);
    bool closer_below = F.mantissa == 0 || (code > (1u << F.mantissa) && code % (1u << F.mantissa) == 0);
    int k = floor_log10(binary_exponent(unit), closer_below);
    double factor = power_of_ten(-k);
    double value = a * factor, half = unit * factor * 0.5;
    double low = (value - half) * 0.1, high = (value + half) * 0.1;
    uint32_t only = truncate(high), nearest = round_to_even(value);
    double above = high - only, below = only - low; // of `only`, to the ends
    bool sure = (above > doubt) & (above < 1 - doubt) & (std::fabs(below) > doubt) & (value > 10) & !closer_below;
    if (!sure)
        return shortest_of<F>({value - (closer_below ? half / 2 : half), value, value + half}, k, code);
    bool in = below > 0;
    uint32_t digits = nearest + ((only - nearest) & (0u - in)); // in ? only : nearest, where compilers would branch
    return digits % 10 == 0 ? without_zeros(digits, k + in) : shortest_decimal{digits, k + in};
}

// ---- layout --------------------------------------------------------------------------------------------------------

constexpr uint32_t whole_powers[] = {1,      10,      100,      1000,      10000,
                                     100000, 1000000, 10000000, 100000000, 1000000000};

// Of a number that is not 0 and below 10^9.
inline int count_digits(uint32_t value)
{
    int estimate = (32 - __builtin_clz(value)) * 1233 >> 12; // log10(2) * 2^12
    return estimate + (value >= whole_powers[estimate] ? 1 : 0);
}

// A number below 10^8 as eight characters in a word, the first in the lowest byte: cut into two fours, four pairs and
// eight digits, all parts at once.
inline uint64_t eight_characters(uint32_t value)
{
    uint64_t w = value / 10000 | static_cast<uint64_t>(value % 10000) << 32;
    uint64_t hundreds = (w * 5243 >> 19) & 0x0000007f0000007f; // 5243 / 2^19 is 1/100, near enough below 10^4
    w = hundreds | (w - hundreds * 100) << 16;
    uint64_t tens = (w * 103 >> 10) & 0x000f000f000f000f; // 103 / 2^10 is 1/10, near enough below 10^2
    return (tens | (w - tens * 10) << 8) + 0x3030303030303030;
}

// `count` digits (1 to 9) of a number, with leading zeros if it has fewer. Writes eight bytes at least. No branches, since
// the count is different from number to number.
inline char *put_digits(uint32_t value, int count, char *out)
{
    uint32_t first = value / whole_powers[8];
    *out = static_cast<char>('0' + first);
    int ninth = (count + 7) >> 4; // 1 for a count of 9, which compilers test with a branch if written as such
    out += ninth;
    count -= ninth;
    uint64_t characters = eight_characters(value - first * whole_powers[8]) >> (64 - 8 * count);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    characters = __builtin_bswap64(characters);
#endif
    store(characters, out);
    return out + count;
}

// `count` digits with a point behind the first `whole` of them, of which there is at least one.
inline char *put_point(uint32_t digits, int count, int whole, char *out)
{
    uint32_t power = whole_powers[count - whole];
    out = put_digits(digits / power, whole, out);
    *out++ = '.';
    return put_digits(digits % power, count - whole, out);
}

inline char *put_plain(uint32_t digits, int count, int whole, char *out)
{
    if (whole <= 0) {
        std::memcpy(out, "0.000", 5);
        return put_digits(digits, count, out + 2 - whole);
    }
    if (whole < count)
        return put_point(digits, count, whole, out);
    out = put_digits(digits, count, out);
    std::memset(out, '0', max_whole);
    out += whole - count;
    std::memcpy(out, ".0", 2);
    return out + 2;
}

// "1.5e-07": one digit before the point, two at least in the exponent.
inline char *put_scientific(uint32_t digits, int count, int exponent, char *out)
{
    out = count == 1 ? put_digits(digits, 1, out) : put_point(digits, count, 1, out);
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    return put_digits(static_cast<uint32_t>(exponent < 0 ? -exponent : exponent), 2, out);
}

inline char *put_decimal(const shortest_decimal &in, char *out)
{
    int count = count_digits(in.digits);
    int whole = count + in.exponent;
    return is_plain(whole - 1) ? put_plain(in.digits, count, whole, out) : put_scientific(in.digits, count, whole - 1, out);
}

inline char *put_zero(char *out)
{
    std::memcpy(out, "0.0", 3);
    return out + 3;
}

template <const format &F> size_t write_short(const void *in, char *out)
{
    constexpr unsigned sign_mask = F.sign;
    unsigned raw = load<stored<F>>(in);
    if (F.sign == 0x8) // a 4-bit type
        raw &= 0xf;
    unsigned code = raw & ~sign_mask;
    bool negative = code != raw;
    bool only_nan = !F.minus_zero && F.nan != 0 && raw == F.nan;
    if (only_nan || code > F.max)
        return write_special(F.infinity == 0 || code != F.infinity ? NUMBER_NAN
                             : negative                            ? NUMBER_MINUS_INFINITY
                                                                   : NUMBER_INFINITY, out);
    char *next = out;
    *next = '-';
    next += negative ? 1 : 0;
    next = code == 0 && F.mantissa != 0 ? put_zero(next) : put_decimal(shortest<F>(code), next);
    return static_cast<size_t>(next - out);
}

} // namespace number

#endif
