#include "src/log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

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

/* "2026-11-30T06:43:02.123Z error " */
static size_t write_prefix(char *out, size_t size, enum log_level level)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t len = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &utc);
    int more = snprintf(out + len, size - len, ".%03dZ %s ", (int)(now.tv_nsec / 1000000), names[level]);
    return len + (size_t)more;
}

/* A line stays a line, whatever a client put into it. Bytes above 0x7f stay: they may be UTF-8. */
static void replace_controls(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f)
            text[i] = '?';
    }
}

void log_vwrite(const struct log *log, enum log_level level, const char *format, va_list args)
{
    if (!log_enabled(log, level))
        return;
    char line[LINE_MAX_BYTES];
    size_t start = write_prefix(line, sizeof(line), level);
    size_t room = sizeof(line) - start - 1; /* the last byte is the newline */
    int wanted = vsnprintf(line + start, room, format, args);
    size_t len = wanted < 0 ? 0 : (size_t)wanted;
    if (len >= room) {
        len = room - 1;
        memcpy(line + start + len - 3, "...", 3);
    }
    while (len > 0 && line[start + len - 1] == '\n') /* libraries end their messages so */
        len--;
    replace_controls(line + start, len);
    line[start + len] = '\n';
    ssize_t written = write(log->fd, line, start + len + 1);
    (void)written; /* there is nobody left to tell */
}

void log_write(const struct log *log, enum log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    log_vwrite(log, level, format, args);
    va_end(args);
}
