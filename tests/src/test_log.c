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
    {"UTF-8 \xc3\xa9 \xc2\xa0", "Z info UTF-8 \xc3\xa9 \xc2\xa0\n"},
    {"not \xff \xc3", "Z info not ? ?\n"},
    {"CSI \xc2\x9b" "31m \x9b", "Z info CSI ?31m ?\n"},
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

static const struct {
    const char *text; /* logged with "%s" */
    const char *want; /* the object after its time */
} objects[] = {
    {"listening", "\"level\":\"info\",\"message\":\"listening\"}\n"},
    {"say \"x\" \\ y", "\"level\":\"info\",\"message\":\"say \\\"x\\\" \\\\ y\"}\n"},
    {"esc \x1b del \x7f\n\tend", "\"level\":\"info\",\"message\":\"esc \\u001b del \\u007f\\u000a\\u0009end\"}\n"},
    {"UTF-8 \xc3\xa9 \xf0\x9f\x98\x80", "\"level\":\"info\",\"message\":\"UTF-8 \xc3\xa9 \xf0\x9f\x98\x80\"}\n"},
    {"CSI \xc2\x9b" "31m", "\"level\":\"info\",\"message\":\"CSI \\u009b31m\"}\n"},
    {"not \xff \xc3", "\"level\":\"info\",\"message\":\"not \\ufffd \\ufffd\"}\n"},
};

START_TEST(writes_json)
{
    char out[4096];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    struct log log = {.fd = ends[1], .level = LOG_INFO, .format = LOG_JSON};
    log_write(&log, LOG_INFO, "%s", objects[_i].text);
    ssize_t n = read(ends[0], out, sizeof(out) - 1);
    ck_assert_int_gt(n, 0);
    out[n] = '\0';
    const size_t begin = strlen("{\"time\":\"2026-01-01T00:00:00.000Z\",");
    ck_assert_uint_gt(strlen(out), begin);
    ck_assert_mem_eq(out, "{\"time\":\"2", 10);
    ck_assert_str_eq(out + begin, objects[_i].want);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* A line of two fields, one of them far too long. */
static size_t fields(enum log_format format, const char *filling, size_t times, char *out, size_t size)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    struct log log = {.fd = ends[1], .level = LOG_INFO, .format = format};
    struct log_line line;
    char text[16384];
    size_t len = 0;
    for (size_t i = 0; i < times; i++, len += strlen(filling))
        memcpy(text + len, filling, strlen(filling));
    log_line_begin(&line, &log, LOG_INFO, "request");
    log_line_number(&line, "n", UINT64_MAX);
    log_line_text(&line, "t", text, len);
    log_line_text(&line, "none", NULL, 0);
    log_line_number(&line, "last", 0);
    log_line_end(&line, &log);
    ssize_t n = read(ends[0], out, size - 1);
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_gt(n, 0);
    out[n] = '\0';
    return (size_t)n;
}

START_TEST(writes_fields)
{
    char out[4096];
    fields(LOG_TEXT, "a b\n", 1, out, sizeof(out));
    ck_assert_str_eq(out + 24, " info request n=18446744073709551615 t=a?b? last=0\n");
    fields(LOG_JSON, "a b\n", 1, out, sizeof(out));
    ck_assert_ptr_nonnull(strstr(out, "\"message\":\"request\",\"n\":18446744073709551615,"
                                      "\"t\":\"a b\\u000a\",\"last\":0}\n"));
}
END_TEST

static const char *const fillings[] = {"x", "\x01", "\"", "\xc3\xa9", "\xff", "\xf0\x9f\x98\x80"};

/* Cut wherever: still one line, and still an object. */
START_TEST(cuts_long_fields)
{
    char out[4096];
    for (enum log_format format = LOG_TEXT; format <= LOG_JSON; format++) {
        size_t n = fields(format, fillings[_i], 4000, out, sizeof(out));
        ck_assert_uint_le(n, LOG_LINE_BYTES);
        ck_assert_uint_gt(n, LOG_LINE_BYTES - 50);
        ck_assert_ptr_eq(strchr(out, '\n'), out + n - 1);
        if (format == LOG_JSON)
            ck_assert_str_eq(out + n - 3, "\"}\n");
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
                 TEST_ONE(leaves_out_what_is_not_asked_for)
                     TEST_ROWS(writes_json, objects) TEST_ONE(writes_fields) TEST_ROWS(cuts_long_fields, fillings) TEST_ONE(finds_levels_by_name))
