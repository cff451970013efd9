#include "src/log.h"

#include <stdio.h>
#include <string.h>

#include "src/log_ring.h"

static const char *const names[] = {
#define X(id, name) [LOG_##id] = (name),
    LOG_LEVELS(X)
#undef X
};

const char *log_level_name(enum log_level level)
{
    return names[level];
}

bool log_level_find(const char *name, enum log_level *ret)
{
    for (enum log_level level = LOG_ERROR; level < LOG_LEVEL_COUNT; level++) {
        if (strcmp(names[level], name) == 0) {
            *ret = level;
            return true;
        }
    }
    return false;
}

void log_vwrite(const struct log *log, enum log_level level, const char *format, va_list args)
{
    if (!log_enabled(log, level))
        return;
    char text[LOG_LINE_BYTES - 48]; /* beside time and level */
    int wanted = vsnprintf(text, sizeof(text), format, args);
    size_t len = wanted < 0 ? 0 : (size_t)wanted;
    if (len >= sizeof(text)) {
        len = sizeof(text) - 1;
        memcpy(text + len - 3, "...", 3);
    }
    while (len > 0 && text[len - 1] == '\n') /* libraries end their messages so */
        len--;
    text[len] = '\0';
    struct log_line line;
    log_line_begin(&line, log, level, text);
    log_line_end(&line, log);
}

void log_write(const struct log *log, enum log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_vwrite(log, level, format, args);
    va_end(args);
}

void log_flush(const struct log *log, unsigned ms)
{
    if (log->ring != NULL)
        log_ring_flush(log->ring, ms);
}
