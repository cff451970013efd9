/* Lines are made by hand, not by printf: there is one for every request. */
#include "src/log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/utf8.h"
#include "src/log_ring.h"

/* Room that is kept for the end of a line. */
#define END_BYTES ((size_t)4)

/* ---- pieces -------------------------------------------------------------------------------------------- */

static void put(struct log_line *line, const char *text, size_t len)
{
    if (len > sizeof(line->data) - END_BYTES - line->len)
        len = sizeof(line->data) - END_BYTES - line->len;
    memcpy(line->data + line->len, text, len);
    line->len += len;
}

static void put_text(struct log_line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* At least `width` digits. */
static void put_number(struct log_line *line, uint64_t number, size_t width)
{
    char digits[20];
    size_t at = sizeof(digits);
    while (number > 0 || sizeof(digits) - at < width) {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    }
    put(line, digits + at, sizeof(digits) - at);
}

/* Year, month and day of a day since 1970-01-01 in the Gregorian calendar, counted in years that begin in
 * March, so that the leap day is the last. gmtime_r would do, but takes a lock. */
static void put_date(struct log_line *line, uint64_t day)
{
    uint64_t n = day + 719468;                 /* since 0000-03-01 */
    uint64_t era = n / 146097, of_era = n % 146097; /* 400 years each */
    uint64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    uint64_t month = (5 * of_year + 2) / 153; /* since March */
    uint64_t of_month = of_year - (153 * month + 2) / 5 + 1;
    put_number(line, era * 400 + year + (month >= 10), 4);
    put_text(line, "-");
    put_number(line, month < 10 ? month + 3 : month - 9, 2);
    put_text(line, "-");
    put_number(line, of_month, 2);
}

/* "2026-11-30T06:43:02.123Z" */
static void put_time(struct log_line *line)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seconds = (uint64_t)now.tv_sec;
    put_date(line, seconds / 86400);
    put_text(line, "T");
    put_number(line, seconds / 3600 % 24, 2);
    put_text(line, ":");
    put_number(line, seconds / 60 % 60, 2);
    put_text(line, ":");
    put_number(line, seconds % 60, 2);
    put_text(line, ".");
    put_number(line, (uint64_t)now.tv_nsec / 1000000, 3);
    put_text(line, "Z");
}

/* ---- texts that quote a client ------------------------------------------------------------------------- */

/* Of ASCII, and those that some terminals take as two bytes of UTF-8 (U+0080 to U+009F). */
static bool is_control(const char *text, size_t n)
{
    unsigned char first = (unsigned char)text[0];
    return first < 0x20 || first == 0x7f || (n == 2 && first == 0xc2 && (unsigned char)text[1] < 0xa0);
}

/* How much of the text is ASCII from `lowest` on that can be seen. */
static size_t plain_length(const char *text, size_t len, char lowest)
{
    size_t n = 0;
    while (n < len && text[n] >= lowest && text[n] < 0x7f) /* a char may be negative: not plain */
        n++;
    return n;
}

/* A character that is not plain: as it is, or '?' if it is not UTF-8 or could do harm. Returns how
 * many bytes of the text it was. */
static size_t put_other(struct log_line *line, const char *text, size_t len)
{
    size_t n = utf8_sequence((const uint8_t *)text, len);
    if (n > 1 && !is_control(text, n))
        put(line, text, n);
    else
        put_text(line, "?");
    return n == 0 ? 1 : n;
}

/* A line stays a line, and a field (`lowest` is '!') a field. Ends before a character would be cut. */
static void put_harmless(struct log_line *line, const char *text, size_t len, char lowest)
{
    while (len > 0 && line->len + 4 <= sizeof(line->data) - END_BYTES) {
        size_t n = plain_length(text, len, lowest);
        if (n > 0)
            put(line, text, n);
        else
            n = put_other(line, text, len);
        text += n;
        len -= n;
    }
}

/* One character of a JSON string; returns how many bytes of the text it was. */
static size_t put_escaped(struct log_line *line, const char *text, size_t len)
{
    size_t n = utf8_sequence((const uint8_t *)text, len);
    char escape[8];
    if (n == 0)
        put_text(line, "\\ufffd");
    else if (*text == '"' || *text == '\\')
        put(line, (const char[]){'\\', *text}, 2);
    else if (is_control(text, n))
        put(line, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04x", (unsigned char)text[n - 1]));
    else
        put(line, text, n);
    return n == 0 ? 1 : n;
}

/* Ends before the room does, so that neither an escape nor a character is cut, and its quotes close. */
static void put_string(struct log_line *line, const char *text, size_t len)
{
    put_text(line, "\"");
    for (size_t i = 0; i < len && line->len + 16 < sizeof(line->data);)
        i += put_escaped(line, text + i, len - i);
    put_text(line, "\"");
}

/* ---- fields -------------------------------------------------------------------------------------------- */

static bool has_room(const struct log_line *line, size_t bytes)
{
    return line->len + bytes + END_BYTES + 16 < sizeof(line->data);
}

static void put_name(struct log_line *line, const char *name)
{
    if (line->format == LOG_JSON) {
        put_text(line, line->len > 1 ? ",\"" : "\"");
        put_text(line, name);
        put_text(line, "\":");
    } else {
        put_text(line, " ");
        put_text(line, name);
        put_text(line, "=");
    }
}

void log_line_begin(struct log_line *line, const struct log *log, enum log_level level, const char *event)
{
    line->format = log->format;
    line->len = 0;
    if (line->format == LOG_JSON) {
        put_text(line, "{\"time\":\"");
        put_time(line);
        put_text(line, "\",\"level\":\"");
        put_text(line, log_level_name(level));
        put_text(line, "\"");
        log_line_text(line, "message", event, strlen(event));
    } else {
        put_time(line);
        put_text(line, " ");
        put_text(line, log_level_name(level));
        put_text(line, " ");
        put_harmless(line, event, strlen(event), ' ');
    }
}

void log_line_text(struct log_line *line, const char *name, const char *text, size_t len)
{
    if (text == NULL || !has_room(line, strlen(name)))
        return;
    put_name(line, name);
    if (line->format == LOG_JSON)
        put_string(line, text, len);
    else
        put_harmless(line, text, len, '!');
}

void log_line_number(struct log_line *line, const char *name, uint64_t number)
{
    if (!has_room(line, strlen(name) + 20))
        return;
    put_name(line, name);
    put_number(line, number, 1);
}

void log_line_end(struct log_line *line, const struct log *log)
{
    if (line->format == LOG_JSON)
        line->data[line->len++] = '}';
    line->data[line->len++] = '\n';
    if (log->ring == NULL) {
        ssize_t written = write(log->fd, line->data, line->len);
        (void)written; /* there is nobody left to tell */
        return;
    }
    uint64_t lost = log_ring_put(log->ring, line->data, line->len);
    if (lost > 0)
        log_write(log, LOG_WARNING, "%llu lines of the log were lost before the last one", (unsigned long long)lost);
}
