// Reading floats below 32 bits. They are rounded from the decimal text at once: by way of a double or float a number would
// be rounded twice.
// Private to number.cc.
#ifndef API_NUMBER_SMALL_H
#define API_NUMBER_SMALL_H

#include "api/number_format.h"

namespace number {

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
    double unit = unit_of<F>(a), in_units = a / unit;
    unsigned units = static_cast<unsigned>(in_units);
    double past_middle = in_units - units - 0.5;
    int side = past_middle < 0 ? -1 : 1;
    if (std::fabs(past_middle) <= in_units * (estimate_ulps * std::numeric_limits<double>::epsilon()))
        side = side_of_middle(in, (units + 0.5) * unit);
    // At the lowest exponent the units count from 0 up, above it the code of no units is that of the exponent below.
    unsigned base = static_cast<unsigned>(exponent_of<F>(a) - F.min_exponent) << F.mantissa;
    if (F.mantissa == 0) // the smallest code is one unit, not none; every middle goes up
        return units == 0 ? 0 : base + units - 1 + (side >= 0 ? 1 : 0);
    return base + units + (side > 0 || (side == 0 && units % 2 != 0) ? 1 : 0);
}

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

} // namespace number

#endif
