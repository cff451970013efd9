#include "api/params.h"

#include "tests/suite.h"

static const struct {
    const char *header;
    const char *value;
    const char *name; /* NULL: refused; "": not there */
} rows[] = {
    {"form-data; name=input", "form-data", "input"},
    {"form-data; name=\"input\"", "form-data", "input"},
    {" form-data ;\tNAME = \"input\" ; filename=\"a;b.npy\" ", "form-data", "input"},
    {"form-data;filename=\"name=x\";name=y", "form-data", "y"},
    {"form-data; filename=\"\\\"; name=x\"; name=\"y\"", "form-data", "y"},
    {"form-data; name=\"a\\\"b\"", "form-data", "a\\\"b"},
    {"form-data; name=\"a b\"", "form-data", "a b"},
    {"form-data; name=a b", "form-data", "a b"},
    {"form-data; name*=UTF-8''x", "form-data", ""},
    {"form-data", "form-data", ""},
    {"form-data;", "form-data", ""},
    {"", "", ""},
    {"; name=x", "", "x"},
    {"form-data; name=\"x", "form-data", NULL},
    {"form-data; name=\"x\\\"", "form-data", NULL},
    {"form-data; name=\"x\"y", "form-data", NULL},
    {"form-data; name=", "form-data", NULL},
    {"form-data; name", "form-data", NULL},
    {"form-data; name=x; name=y", "form-data", NULL},
    {"form-data;; name=x", "form-data", NULL},
};

START_TEST(finds)
{
    struct bytes found;
    struct bytes header = bytes_of(rows[_i].header);
    ck_assert(bytes_equal(params_value(header), rows[_i].value));
    ck_assert(params_find(header, "name", &found) == (rows[_i].name != NULL));
    if (rows[_i].name == NULL)
        return;
    ck_assert((found.ptr == NULL) == (rows[_i].name[0] == '\0'));
    ck_assert(bytes_equal(found, rows[_i].name));
}
END_TEST

SUITE("params", TEST_ROWS(finds, rows))
