#include "src/addresses.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/list.h"

#define BUCKETS 1024 /* a power of two */

/* IPv4 as ::ffff:a.b.c.d; of other IPv6 the first half. */
struct key {
    uint8_t bytes[16];
};

/* An address with at least one connection. */
struct entry {
    struct list link;
    struct key key;
    unsigned count;
};

struct addresses {
    unsigned most;
    bool count_loopback;
    pthread_mutex_t lock; /* for what follows */
    struct list bucket[BUCKETS];
};

static void put_v4(struct key *key, const struct in_addr *address)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
    memcpy(key->bytes, mapped, sizeof(mapped));
    memcpy(key->bytes + sizeof(mapped), address, 4);
}

static bool is_loopback(const struct key *key)
{
    static const struct in6_addr v6 = IN6ADDR_LOOPBACK_INIT;
    struct in6_addr address;
    memcpy(&address, key->bytes, sizeof(address));
    return IN6_IS_ADDR_V4MAPPED(&address) ? key->bytes[12] == 127
                                          : memcmp(&address, &v6, sizeof(v6)) == 0;
}

/* False if connections of this address are not counted. */
static bool make_key(const struct addresses *addresses, const struct sockaddr *address, struct key *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (addresses->most == 0 || address == NULL)
        return false;
    if (address->sa_family == AF_INET)
        put_v4(ret, &((const struct sockaddr_in *)(const void *)address)->sin_addr);
    else if (address->sa_family == AF_INET6)
        memcpy(ret->bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
    else
        return false;
    if (is_loopback(ret))
        return addresses->count_loopback;
    struct in6_addr v6;
    memcpy(&v6, ret->bytes, sizeof(v6));
    if (!IN6_IS_ADDR_V4MAPPED(&v6))
        memset(ret->bytes + 8, 0, 8);
    return true;
}

/* FNV-1a */
static struct list *bucket_of(struct addresses *addresses, const struct key *key)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof(key->bytes); i++)
        hash = (hash ^ key->bytes[i]) * 16777619u;
    return &addresses->bucket[hash % BUCKETS];
}

static struct entry *find(struct list *bucket, const struct key *key)
{
    for (struct list *link = bucket->next; link != bucket; link = link->next) {
        struct entry *entry = list_item(link, struct entry, link);
        if (memcmp(&entry->key, key, sizeof(*key)) == 0)
            return entry;
    }
    return NULL;
}

static struct entry *add(struct list *bucket, const struct key *key)
{
    struct entry *entry = malloc(sizeof(*entry));
    if (entry == NULL)
        return NULL;
    *entry = (struct entry){.key = *key};
    list_append(bucket, &entry->link);
    return entry;
}

struct addresses *addresses_create(unsigned most, bool count_loopback)
{
    struct addresses *addresses = calloc(1, sizeof(*addresses));
    if (addresses == NULL)
        return NULL;
    addresses->most = most;
    addresses->count_loopback = count_loopback;
    pthread_mutex_init(&addresses->lock, NULL);
    for (size_t i = 0; i < BUCKETS; i++)
        list_init(&addresses->bucket[i]);
    return addresses;
}

void addresses_destroy(struct addresses *addresses)
{
    if (addresses == NULL)
        return;
    pthread_mutex_destroy(&addresses->lock);
    free(addresses);
}

bool addresses_take(struct addresses *addresses, const struct sockaddr *address)
{
    struct key key;
    if (!make_key(addresses, address, &key))
        return true;
    pthread_mutex_lock(&addresses->lock);
    struct list *bucket = bucket_of(addresses, &key);
    struct entry *entry = find(bucket, &key);
    if (entry == NULL)
        entry = add(bucket, &key);
    bool fits = entry != NULL && entry->count < addresses->most;
    if (fits)
        entry->count++;
    pthread_mutex_unlock(&addresses->lock);
    return fits;
}

void addresses_give(struct addresses *addresses, const struct sockaddr *address)
{
    struct key key;
    if (!make_key(addresses, address, &key))
        return;
    pthread_mutex_lock(&addresses->lock);
    struct entry *entry = find(bucket_of(addresses, &key), &key);
    if (entry != NULL && --entry->count == 0) {
        list_remove(&entry->link);
        free(entry);
    }
    pthread_mutex_unlock(&addresses->lock);
}
