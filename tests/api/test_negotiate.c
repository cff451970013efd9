#include "api/negotiate.h"

#include "tests/suite.h"

static const struct {
    const char *value, *type;
    bool want;
} media[] = {
    {"application/json", "application/json", true},
    {"Application/JSON; charset=utf-8", "application/json", true},
    {"application/json;charset=utf-8", "application/json", true},
    {" \tapplication/json ;x", "application/json", true},
    {"application/jsonl", "application/json", false},
    {"application/jso", "application/json", false},
    {"text/plain; application/json", "application/json", false},
    {"*/*", "application/json", false},
    {"", "application/json", false},
    {NULL, "application/json", false},
};

START_TEST(type_of_media)
{
    ck_assert_int_eq(bytes_equal_nocase(media_type(media[_i].value), media[_i].type), media[_i].want);
}
END_TEST

static const struct {
    const char *list, *name;
    int want;
} qualities[] = {
    {NULL, "gzip", QUALITY_NONE},
    {"", "gzip", QUALITY_NONE},
    {" , ,", "gzip", QUALITY_NONE},
    {"gzip", "gzip", 1000},
    {"GZip", "gzip", 1000},
    {"deflate, gzip", "gzip", 1000},
    {"deflate,gzip;q=0.5", "gzip", 500},
    {"gzip;q=0", "gzip", 0},
    {"gzip;q=0.000", "gzip", 0},
    {"gzip;q=1.000", "gzip", 1000},
    {"gzip;q=0.001", "gzip", 1},
    {"gzip;q=0.12", "gzip", 120},
    {"gzip;q=1.", "gzip", 1000},
    {"gzip ; Q=0.7 , x", "gzip", 700},
    {"gzip;x=1;q=0.3", "gzip", 300},
    {"xgzip", "gzip", QUALITY_NONE},
    {"gzipx", "gzip", QUALITY_NONE},
    {"x-gzip", "gzip", QUALITY_NONE},
    /* a star covers what is not named, wherever it stands */
    {"*", "gzip", 1000},
    {"*;q=0.1, gzip;q=0.9", "gzip", 900},
    {"gzip;q=0, *", "gzip", 0},
    {"gzip;q=0, *", "deflate", 1000},
    /* twice: the greater */
    {"gzip;q=0.2, gzip;q=0.6, gzip;q=0.1", "gzip", 600},
    /* not a q, so not an element */
    {"gzip;q=1.001", "gzip", QUALITY_NONE},
    {"gzip;q=2", "gzip", QUALITY_NONE},
    {"gzip;q=-1", "gzip", QUALITY_NONE},
    {"gzip;q=", "gzip", QUALITY_NONE},
    {"gzip;q=.5", "gzip", QUALITY_NONE},
    {"gzip;q=0.1234", "gzip", QUALITY_NONE},
    {"gzip;q=0,5", "gzip", 0},
    {"gzip;q=high, gzip;q=0.4", "gzip", 400},
    {"gzip deflate", "gzip", QUALITY_NONE},
    /* Accept */
    {"*/*", "text/html", 1000},
    {"text/*;q=0.3, */*;q=0.1", "text/html", 300},
    {"text/*;q=0.3, text/html;q=0.2, */*", "text/html", 200},
    {"TEXT/HTML;level=1;q=0.4", "text/html", 400},
    {"text/*", "application/json", QUALITY_NONE},
    {"textual/*", "text/html", QUALITY_NONE},
    {"text/htm*", "text/html", QUALITY_NONE},
    {"application/x-npy, application/json;q=0.5", "application/x-npy", 1000},
};

START_TEST(quality)
{
    ck_assert_msg(negotiate_quality(qualities[_i].list, qualities[_i].name) == qualities[_i].want,
                  "%s in %s: %d", qualities[_i].name, qualities[_i].list,
                  negotiate_quality(qualities[_i].list, qualities[_i].name));
}
END_TEST

SUITE("negotiate", TEST_ROWS(type_of_media, media) TEST_ROWS(quality, qualities))
