#include "src/log.h"

#include <string.h>
#include <unistd.h>

#include "tests/suite.h"

static const struct {
    const char *text; /* logged with "%s" */
    const char *want; /* the line after its time */
} lines[] = {
    {"listening", "Z info listening\n"},
    {"", "Z info \n"},
    {"ends with a newline\n", "Z info ends with a newline\n"},
    {"two\nlines\r", "Z info two?lines?\n"},
    {"esc \x1b[2J del \x7f tab \t", "Z info esc ?[2J del ? tab ?\n"},
    {"UTF-8 \xc3\xa9", "Z info UTF-8 \xc3\xa9\n"},
    {"100%s %n", "Z info 100%s %n\n"},
};

/* What one log_write has written. */
static size_t logged(enum log_level limit, enum log_level level, const char *text, char *out, size_t size)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    struct log log = {.fd = ends[1], .level = limit};
    log_write(&log, level, "%s", text);
    close(ends[1]);
    ssize_t n = read(ends[0], out, size - 1);
    close(ends[0]);
    ck_assert_int_ge(n, 0);
    out[n] = '\0';
    return (size_t)n;
}

START_TEST(writes_one_harmless_line)
{
    char out[4096];
    logged(LOG_INFO, LOG_INFO, lines[_i].text, out, sizeof(out));
    const size_t time_len = strlen("2026-01-01T00:00:00.000");
    ck_assert_uint_gt(strlen(out), time_len);
    ck_assert_str_eq(out + time_len, lines[_i].want);
    ck_assert_int_eq(out[10], 'T');
    ck_assert_int_eq(out[19], '.');
}
END_TEST

START_TEST(cuts_long_lines)
{
    char text[5000], out[6000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    size_t n = logged(LOG_INFO, LOG_ERROR, text, out, sizeof(out));
    ck_assert_uint_le(n, 2048);
    ck_assert_uint_gt(n, 2000);
    ck_assert_str_eq(out + n - 5, "x...\n");
}
END_TEST

START_TEST(leaves_out_what_is_not_asked_for)
{
    char out[200];
    for (enum log_level limit = LOG_NOTICE; limit < LOG_LEVEL_COUNT; limit++) {
        for (enum log_level level = LOG_NOTICE; level < LOG_LEVEL_COUNT; level++)
            ck_assert_int_eq(logged(limit, level, "x", out, sizeof(out)) > 0, level <= limit);
    }
}
END_TEST

START_TEST(finds_levels_by_name)
{
    enum log_level level = LOG_NOTICE;
    ck_assert(log_level_find("warning", &level));
    ck_assert_int_eq(level, LOG_WARNING);
    ck_assert(!log_level_find("Warning", &level));
    ck_assert(!log_level_find("", &level));
    ck_assert_int_eq(level, LOG_WARNING);
}
END_TEST

SUITE("log", TEST_ROWS(writes_one_harmless_line, lines) TEST_ONE(cuts_long_lines)
                 TEST_ONE(leaves_out_what_is_not_asked_for) TEST_ONE(finds_levels_by_name))
