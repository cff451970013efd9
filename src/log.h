/* The log: one line per event, as text or as a JSON object.
 *
 * Any thread may log. With a ring (log_ring.h) a line is on its way when the call returns, without it it has
 * been written, by one write(2), so that lines never mix. Text that quotes a client is made harmless: control
 * characters and what is not UTF-8 become '?', lines that are too long are cut; in JSON they are escaped, and
 * what is not UTF-8 becomes U+FFFD.
 */
#ifndef SRC_LOG_H
#define SRC_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A level includes all before it. Notices (the address the server listens on) are always written. */
#define LOG_LEVELS(X)     \
    X(NOTICE, "notice")   \
    X(ERROR, "error")     \
    X(WARNING, "warning") \
    X(INFO, "info")       \
    X(DEBUG, "debug")

enum log_level {
#define X(id, name) LOG_##id,
    LOG_LEVELS(X)
#undef X
    LOG_LEVEL_COUNT
};

/* The order is that of the words of the option. */
enum log_format { LOG_TEXT, LOG_JSON };

struct log_ring;

struct log {
    int fd;
    enum log_level level; /* constant once threads run, as all of it */
    enum log_format format;
    struct log_ring *ring; /* or NULL: lines are written at once */
};

const char *log_level_name(enum log_level level);

/* False if there is no such level, or none that can be asked for (notices cannot be turned off). */
bool log_level_find(const char *name, enum log_level *ret);

static inline bool log_enabled(const struct log *log, enum log_level level)
{
    return level <= log->level;
}

void log_write(const struct log *log, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void log_vwrite(const struct log *log, enum log_level level, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Waits until what was logged is written, at most so long: before the process ends by other ways than a
 * return from main. */
void log_flush(const struct log *log, unsigned ms);

/* ---- lines with fields --------------------------------------------------------------------------------- */

#define LOG_LINE_BYTES 2048

/* One line under construction: "time level event name=value ..." or the same as an object. */
struct log_line {
    enum log_format format;
    size_t len;
    char data[LOG_LINE_BYTES];
};

/* `event` is static and harmless; it is what the line is about. */
void log_line_begin(struct log_line *line, const struct log *log, enum log_level level, const char *event);

/* Names are static. A field that has no room is left out; a text that is NULL, too. */
void log_line_text(struct log_line *line, const char *name, const char *text, size_t len);
void log_line_number(struct log_line *line, const char *name, uint64_t number);
void log_line_end(struct log_line *line, const struct log *log);

#endif
