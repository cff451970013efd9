#include "src/tls.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnutls/x509.h>

/* A pair and how many have taken it; the last to give it back destroys it. */
struct counted {
    struct tls_pair pair; /* first: what is handed out is a pointer to it */
    atomic_uint users;    /* one is struct tls itself, as long as the pair is in force */
    time_t expires;
};

struct tls {
    const char *certificate, *key; /* paths */
    const struct log *log;
    pthread_mutex_t lock; /* for: */
    struct counted *current;
};

/* ---- reading a pair ------------------------------------------------------------------------------------ */

static void destroy_pair(struct counted *counted)
{
    for (unsigned i = 0; i < counted->pair.length; i++)
        gnutls_pcert_deinit(&counted->pair.chain[i]);
    free(counted->pair.chain);
    gnutls_privkey_deinit(counted->pair.key);
    free(counted);
}

static bool load_file(const struct log *log, const char *path, gnutls_datum_t *ret)
{
    errno = 0;
    int status = gnutls_load_file(path, ret);
    if (status < 0)
        log_write(log, LOG_ERROR, "cannot read %s: %s", path,
                  errno != 0 ? strerror(errno) : gnutls_strerror(status));
    return status >= 0;
}

/* Takes over what is read and checked in `credentials`, which has one certificate. */
static bool take_chain(struct counted *counted, gnutls_certificate_credentials_t credentials)
{
    gnutls_x509_crt_t *chain = NULL;
    unsigned length = 0;
    if (gnutls_certificate_get_x509_crt(credentials, 0, &chain, &length) < 0)
        return false;
    counted->expires = gnutls_x509_crt_get_expiration_time(chain[0]);
    counted->pair.chain = calloc(length, sizeof(counted->pair.chain[0]));
    bool good = counted->pair.chain != NULL;
    for (unsigned i = 0; i < length; i++) {
        good = good && gnutls_pcert_import_x509(&counted->pair.chain[i], chain[i], 0) >= 0;
        counted->pair.length += good;
        gnutls_x509_crt_deinit(chain[i]);
    }
    gnutls_free(chain);
    return good;
}

static bool take_key(struct counted *counted, gnutls_certificate_credentials_t credentials)
{
    gnutls_x509_privkey_t key = NULL;
    if (gnutls_certificate_get_x509_key(credentials, 0, &key) < 0)
        return false;
    if (gnutls_privkey_init(&counted->pair.key) >= 0 &&
        gnutls_privkey_import_x509(counted->pair.key, key, GNUTLS_PRIVKEY_IMPORT_AUTO_RELEASE) >= 0)
        return true;
    gnutls_x509_privkey_deinit(key);
    return false;
}

/* GnuTLS checks that they belong together, and puts the chain in order. */
static struct counted *make_pair(const struct tls *tls, const gnutls_datum_t *certificate,
                                 const gnutls_datum_t *key)
{
    gnutls_certificate_credentials_t credentials = NULL;
    struct counted *counted = calloc(1, sizeof(*counted));
    if (counted == NULL) {
        log_write(tls->log, LOG_ERROR, "no memory for a certificate");
        return NULL;
    }
    int status = gnutls_certificate_allocate_credentials(&credentials);
    if (status >= 0)
        status = gnutls_certificate_set_x509_key_mem(credentials, certificate, key, GNUTLS_X509_FMT_PEM);
    bool good = status >= 0 && take_chain(counted, credentials) && take_key(counted, credentials);
    if (credentials != NULL)
        gnutls_certificate_free_credentials(credentials);
    if (good) {
        atomic_init(&counted->users, 1);
        return counted;
    }
    log_write(tls->log, LOG_ERROR, "%s and %s are no certificate and its key: %s", tls->certificate, tls->key,
              status < 0 ? gnutls_strerror(status) : "no memory");
    destroy_pair(counted);
    return NULL;
}

static void tell(const struct tls *tls, const struct counted *counted)
{
    char date[40];
    struct tm utc;
    gmtime_r(&counted->expires, &utc);
    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &utc);
    bool over = counted->expires < time(NULL);
    log_write(tls->log, over ? LOG_WARNING : LOG_INFO, "the TLS certificate of %s %s %s", tls->certificate,
              over ? "has expired on" : "is valid until", date);
}

/* Logs what there is to say about it. */
static struct counted *load_pair(const struct tls *tls)
{
    gnutls_datum_t certificate = {NULL, 0}, key = {NULL, 0};
    struct counted *counted = NULL;
    if (load_file(tls->log, tls->certificate, &certificate) && load_file(tls->log, tls->key, &key))
        counted = make_pair(tls, &certificate, &key);
    if (key.data != NULL)
        gnutls_memset(key.data, 0, key.size);
    gnutls_free(key.data);
    gnutls_free(certificate.data);
    if (counted != NULL)
        tell(tls, counted);
    return counted;
}

/* ---- the pair in force --------------------------------------------------------------------------------- */

void tls_give(const struct tls_pair *pair)
{
    struct counted *counted = (struct counted *)(uintptr_t)pair;
    if (atomic_fetch_sub_explicit(&counted->users, 1, memory_order_acq_rel) == 1)
        destroy_pair(counted);
}

const struct tls_pair *tls_take(struct tls *tls)
{
    pthread_mutex_lock(&tls->lock);
    struct counted *current = tls->current;
    atomic_fetch_add_explicit(&current->users, 1, memory_order_relaxed);
    pthread_mutex_unlock(&tls->lock);
    return &current->pair;
}

void tls_reload(struct tls *tls)
{
    struct counted *fresh = load_pair(tls);
    if (fresh == NULL) {
        log_write(tls->log, LOG_ERROR, "the TLS certificate that was in use stays in use");
        return;
    }
    pthread_mutex_lock(&tls->lock);
    struct counted *old = tls->current;
    tls->current = fresh;
    pthread_mutex_unlock(&tls->lock);
    tls_give(&old->pair);
}

struct tls *tls_create(const char *certificate, const char *key, const struct log *log)
{
    struct tls *tls = calloc(1, sizeof(*tls));
    if (tls == NULL)
        return NULL;
    *tls = (struct tls){.certificate = certificate, .key = key, .log = log};
    pthread_mutex_init(&tls->lock, NULL);
    tls->current = load_pair(tls);
    if (tls->current != NULL)
        return tls;
    tls_destroy(tls);
    return NULL;
}

void tls_destroy(struct tls *tls)
{
    if (tls == NULL)
        return;
    if (tls->current != NULL)
        tls_give(&tls->current->pair);
    pthread_mutex_destroy(&tls->lock);
    free(tls);
}
