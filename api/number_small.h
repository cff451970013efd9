// Floats below 32 bits, all by one description of a format. They are rounded from the decimal text at once: by way of a
// double or float a number would be rounded twice.
// Private to number.cc.
#ifndef API_NUMBER_SMALL_H
#define API_NUMBER_SMALL_H

#include "api/number_private.h"

namespace number {

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

inline double power_of_two(int exponent)
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

inline int64_t leading_exponent(const decimal &in)
{
    int64_t exponent = in.exponent;
    for (uint64_t rest = in.digits; rest >= 10; rest /= 10)
        exponent++;
    return exponent;
}

// Compares the text with a double of few bits, exactly: such a middle has at most 160 significant digits, all printed here.
inline int compare(const decimal &in, double middle)
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

// Where the number lies against the middle that is as near to it as the error of its estimate: -1, 0 or 1. Even the nearest
// double may be that middle while the number is not.
inline int side_of_middle(const decimal &in, double middle)
{
    double value = nearest(in);
    return value < middle ? -1 : value > middle ? 1 : compare(in, middle);
}

// The code nearest to the number; above F.max if it is too large.
template <const format &F> unsigned round_to(const decimal &in)
{
    double a = has_estimate(in) ? estimate(in) : nearest(in);
    if (a > 2 * magnitude<F>(F.max))
        return F.max + 1;
    placed p = place<F>(a);
    double below = std::floor(p.units);
    double past_middle = p.units - below - 0.5;
    int side = past_middle < 0 ? -1 : 1;
    if (std::fabs(past_middle) <= p.units * (estimate_ulps * std::numeric_limits<double>::epsilon()))
        side = side_of_middle(in, (below + 0.5) * p.unit);
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

// The numbers between which all read as one code, but for these two themselves, and how near to them is too near to tell.
struct interval {
    double low, high;
    double doubt;
};

template <const format &F> interval interval_of(unsigned code)
{
    double a = magnitude<F>(code);
    double unit = place<F>(a).unit;
    bool lowest_of_exponent = F.mantissa == 0 || (code > (1u << F.mantissa) && code % (1u << F.mantissa) == 0);
    return {a - (lowest_of_exponent ? unit / 4 : unit / 2), a + unit / 2, a * 1e-14};
}

// digits * 10^exponent with its text, which some questions need.
struct written {
    char text[NUMBER_MAX_TEXT];
    decimal number;

    written(uint64_t digits, int exponent) : number{digits, exponent, false, true, text, 0}
    {
        constexpr size_t max_digits = 20;
        size_t len = static_cast<size_t>(std::to_chars(text, text + max_digits, digits).ptr - text);
        text[len++] = 'e';
        number.len = static_cast<size_t>(std::to_chars(text + len, text + sizeof(text), exponent).ptr - text);
    }
};

// Whether digits * 10^exponent, about `value`, reads as the code.
template <const format &F> bool reads_as(unsigned code, const interval &in, double value, uint64_t digits, int exponent)
{
    if (value < in.low - in.doubt || value > in.high + in.doubt)
        return false;
    if (value > in.low + in.doubt && value < in.high - in.doubt)
        return true;
    return round_to<F>(written(digits, exponent).number) == code;
}

inline int floor_log10(double a)
{
    int exponent = static_cast<int>(std::floor(std::log10(a)));
    return a < power_of_ten(exponent) ? exponent - 1 : exponent; // log10 may have been rounded up
}

// The double nearest to the number of the fewest decimal digits that reads back to the code: to the nearest of them, or
// the next on the other side of the value (below a power of two the values lie closer than above it).
template <const format &F> double shortest(unsigned code)
{
    double a = magnitude<F>(code);
    const interval in = interval_of<F>(code);
    for (int exponent = floor_log10(a);; exponent--) {
        double scaled = a * power_of_ten(-exponent);
        double nearer = std::floor(scaled + 0.5);
        double other = nearer > scaled ? nearer - 1 : nearer + 1;
        for (double d : {nearer, other}) {
            uint64_t digits = static_cast<uint64_t>(d);
            if (reads_as<F>(code, in, d * power_of_ten(exponent), digits, exponent))
                return nearest(written(digits, exponent).number);
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
    double value = code == 0 && F.mantissa != 0 ? 0 : shortest<F>(code);
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

} // namespace number

#endif
