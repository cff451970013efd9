#include "ops/kernel_parts.h"

/* A block of 1 to 8 bytes, by two loads that may overlap. */
EXPANDED uint64_t load_block(const unsigned char *from, size_t size)
{
    if (size == 8)
        return load(from, 8);
    if (size >= 4)
        return load(from, 4) | load(from + size - 4, 4) << 8 * (size - 4);
    if (size >= 2)
        return load(from, 2) | load(from + size - 2, 2) << 8 * (size - 2);
    return *from;
}

/* The factor that turns a block into as many copies of it as a word holds. */
EXPANDED uint64_t copies_in_word(size_t size)
{
    uint64_t factor = 0;
    for (size_t at = 0; at + size <= 8; at += size)
        factor |= (uint64_t)1 << 8 * at;
    return factor;
}

/* ---- fill */

typedef uint64_t lane __attribute__((vector_size(16)));

bool fill_takes(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

/* As many copies of an element as fit in a lane. */
EXPANDED lane lane_of(const unsigned char *element, size_t size)
{
    uint64_t low = size < 8 ? load_block(element, size) * copies_in_word(size) : load(element, 8);
    uint64_t high = size == 16 ? load(element + 8, 8) : low;
    return (lane){low, high};
}

/* `n` is 16 or more, and a multiple of the element's size, as n - 16 is then. */
EXPANDED void fill_lanes(unsigned char *out, uint64_t n, lane pattern)
{
    uint64_t at = 0;
    for (; at + 64 <= n; at += 64) {
        memcpy(out + at, &pattern, 16);
        memcpy(out + at + 16, &pattern, 16);
        memcpy(out + at + 32, &pattern, 16);
        memcpy(out + at + 48, &pattern, 16);
    }
    for (; at + 16 <= n; at += 16)
        memcpy(out + at, &pattern, 16);
    if (at < n)
        memcpy(out + n - 16, &pattern, 16);
}

void copy_fill(unsigned char *out, uint64_t n, const unsigned char *element, size_t size)
{
    if (size == 1) {
        memset(out, *element, n);
        return;
    }
    lane pattern = lane_of(element, size);
    if (n < 16)
        memcpy(out, &pattern, n);
    else
        fill_lanes(out, n, pattern);
}

/* ---- spread: a row is what becomes of one block */

/* Writes rows by `stores` whole words each. The last word of a row may run over into the next row, which is written
 * after it; the caller sees to it that there is one. */
EXPANDED void spread_rows(struct spread spread, size_t size, uint64_t rows, uint64_t stores, unsigned char *out)
{
    uint64_t factor = copies_in_word(size);
    for (uint64_t i = 0; i < rows; i++) {
        uint64_t word = load_block(spread.in + i * size, size) * factor;
        for (uint64_t s = 0; s < stores; s++)
            memcpy(out + s * (8 / size * size), &word, 8);
        out += size * spread.times;
    }
}

/* Blocks of 1 to 8 bytes. The number of stores is a constant for the shortest rows, where a loop would cost the most. */
EXPANDED void spread_words(struct spread spread, size_t size, unsigned char *out)
{
    uint64_t row = size * spread.times;
    uint64_t total = spread.blocks * row;
    uint64_t step = 8 / size * size;
    uint64_t stores = (row + step - 1) / step;
    uint64_t reach = (stores - 1) * step + 8; /* from the start of a row to the end of its last word */
    uint64_t rows = total < reach ? 0 : (total - reach) / row + 1;
    if (stores == 1)
        spread_rows(spread, size, rows, 1, out);
    else if (stores == 2)
        spread_rows(spread, size, rows, 2, out);
    else
        spread_rows(spread, size, rows, stores, out);
    for (uint64_t at = rows * row; at < total; at += size)
        memcpy(out + at, spread.in + at / row * size, size);
}

/* Every byte twice, four in a word at a time: for rows this short, one store each is too slow. */
static void spread_bytes_twice(struct spread spread, unsigned char *out)
{
    uint64_t i = 0;
    for (; i + 4 <= spread.blocks; i += 4) {
        uint64_t word = load(spread.in + i, 4);
        word = (word | word << 16) & 0x0000ffff0000ffffu;
        word = (word | word << 8) & 0x00ff00ff00ff00ffu;
        word |= word << 8;
        memcpy(out + 2 * i, &word, 8);
    }
    for (; i < spread.blocks; i++)
        memset(out + 2 * i, spread.in[i], 2);
}

/* Blocks of 9 to 15 bytes, as two words that overlap. */
static void spread_pairs(struct spread spread, unsigned char *out)
{
    size_t second = spread.size - 8;
    for (uint64_t i = 0; i < spread.blocks; i++) {
        uint64_t low = load(spread.in, 8);
        uint64_t high = load(spread.in + second, 8);
        for (uint64_t t = 0; t < spread.times; t++) {
            memcpy(out, &low, 8);
            memcpy(out + second, &high, 8);
            out += spread.size;
        }
        spread.in += spread.size;
    }
}

/* Blocks of 16 bytes and more. */
static void spread_runs(struct spread spread, unsigned char *out)
{
    for (uint64_t i = 0; i < spread.blocks; i++) {
        for (uint64_t t = 0; t < spread.times; t++) {
            copy_run(out, spread.in, spread.size);
            out += spread.size;
        }
        spread.in += spread.size;
    }
}

EXPANDED void spread_lanes(struct spread spread, size_t size, unsigned char *out)
{
    uint64_t row = size * spread.times;
    for (uint64_t i = 0; i < spread.blocks; i++)
        fill_lanes(out + i * row, row, lane_of(spread.in + i * size, size));
}

/* Rows of 16 bytes and more, of blocks that copy_fill takes. */
static void spread_fill(struct spread spread, unsigned char *out)
{
    switch (spread.size) {
    case 1:
        spread_lanes(spread, 1, out);
        break;
    case 2:
        spread_lanes(spread, 2, out);
        break;
    case 4:
        spread_lanes(spread, 4, out);
        break;
    case 8:
        spread_lanes(spread, 8, out);
        break;
    default:
        spread_lanes(spread, 16, out);
    }
}

/* Rows that are long enough to be worth the start of copy_fill. */
#define LONG_ROW ((uint64_t)64)

void copy_spread(struct spread spread, unsigned char *out)
{
    if (spread.size * spread.times >= LONG_ROW && fill_takes(spread.size)) {
        spread_fill(spread, out);
        return;
    }
    if (spread.size == 1 && spread.times == 2) {
        spread_bytes_twice(spread, out);
        return;
    }
    if (spread.size > 8 && spread.size < 16) {
        spread_pairs(spread, out);
        return;
    }
    switch (spread.size) {
    case 1:
        spread_words(spread, 1, out);
        break;
    case 2:
        spread_words(spread, 2, out);
        break;
    case 3:
        spread_words(spread, 3, out);
        break;
    case 4:
        spread_words(spread, 4, out);
        break;
    case 5:
        spread_words(spread, 5, out);
        break;
    case 6:
        spread_words(spread, 6, out);
        break;
    case 7:
        spread_words(spread, 7, out);
        break;
    case 8:
        spread_words(spread, 8, out);
        break;
    default:
        spread_runs(spread, out);
    }
}
