#include "src/addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "tests/suite.h"

static struct sockaddr_storage address(const char *text)
{
    struct sockaddr_storage ret = {.ss_family = AF_UNIX};
    struct sockaddr_in *v4 = (void *)&ret;
    struct sockaddr_in6 *v6 = (void *)&ret;
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1)
        ret.ss_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1)
        ret.ss_family = AF_INET6;
    return ret;
}

static bool take(struct addresses *addresses, const char *text)
{
    struct sockaddr_storage a = address(text);
    return addresses_take(addresses, (struct sockaddr *)&a);
}

static void give(struct addresses *addresses, const char *text)
{
    struct sockaddr_storage a = address(text);
    addresses_give(addresses, (struct sockaddr *)&a);
}

/* With room for one connection an address: whether one of `b` is refused when there is one of `a`. */
static const struct {
    const char *a, *b;
    bool loopback, refused;
} pairs[] = {
    {"192.0.2.1", "192.0.2.1", false, true},
    {"192.0.2.1", "192.0.2.2", false, false},
    {"192.0.2.1", "::ffff:192.0.2.1", false, true},
    {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false, false},
    {"2001:db8::1", "2001:db8::1", false, true},
    {"2001:db8::1", "2001:db8::ffff:1", false, true}, /* one network of one client */
    {"2001:db8::1", "2001:db8:0:1::1", false, false},
    {"127.0.0.1", "127.0.0.1", false, false},
    {"127.1.2.3", "127.1.2.3", false, false},
    {"::1", "::1", false, false},
    {"::ffff:127.0.0.1", "127.0.0.1", false, false},
    {"127.0.0.1", "127.0.0.1", true, true},
    {"::1", "::1", true, true},
    {"(unix)", "(unix)", true, false},
};

START_TEST(tells_addresses_apart)
{
    struct addresses *addresses = addresses_create(1, pairs[_i].loopback);
    ck_assert(take(addresses, pairs[_i].a));
    ck_assert_int_eq(take(addresses, pairs[_i].b), !pairs[_i].refused);
    if (!pairs[_i].refused)
        give(addresses, pairs[_i].b);
    give(addresses, pairs[_i].a);
    ck_assert(take(addresses, pairs[_i].b));
    give(addresses, pairs[_i].b);
    addresses_destroy(addresses);
}
END_TEST

START_TEST(counts_up_to_the_limit)
{
    struct addresses *addresses = addresses_create(3, false);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            ck_assert(take(addresses, "192.0.2.1"));
        ck_assert(!take(addresses, "192.0.2.1"));
        ck_assert(!take(addresses, "192.0.2.1"));
        give(addresses, "192.0.2.1");
        ck_assert(take(addresses, "192.0.2.1"));
        for (int i = 0; i < 3; i++)
            give(addresses, "192.0.2.1");
    }
    addresses_destroy(addresses);
}
END_TEST

START_TEST(keeps_many_apart)
{
    struct addresses *addresses = addresses_create(1, false);
    char text[32];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            snprintf(text, sizeof(text), "10.%d.%d.1", i / 256, i % 256);
            ck_assert(take(addresses, text));
            ck_assert(!take(addresses, text));
        }
        for (int i = 0; i < 5000; i++) {
            snprintf(text, sizeof(text), "10.%d.%d.1", i / 256, i % 256);
            give(addresses, text);
        }
    }
    addresses_destroy(addresses);
}
END_TEST

START_TEST(counts_nothing_without_a_limit)
{
    struct addresses *addresses = addresses_create(0, true);
    for (int i = 0; i < 10; i++)
        ck_assert(take(addresses, "192.0.2.1"));
    ck_assert(addresses_take(addresses, NULL));
    addresses_destroy(addresses);
}
END_TEST

SUITE("addresses", TEST_ROWS(tells_addresses_apart, pairs) TEST_ONE(counts_up_to_the_limit)
                       TEST_ONE(keeps_many_apart) TEST_ONE(counts_nothing_without_a_limit))
