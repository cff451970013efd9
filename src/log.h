/* The log: one line per event on a descriptor, written at once.
 *
 * Any thread may log: a line is one write(2), so lines never mix. Text that quotes a client is made harmless:
 * control characters become '?', lines that are too long are cut.
 */
#ifndef SRC_LOG_H
#define SRC_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

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

struct log {
    int fd;
    enum log_level level; /* constant once threads run */
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

#endif
