/* The server's certificate and private key: read from two files, read again when told.
 *
 * A pair is constant and counted: each connection keeps the one it has begun with. The pair in force is
 * replaced as a whole, and only by one that is good; any thread may take it.
 */
#ifndef SRC_TLS_H
#define SRC_TLS_H

#include <stdbool.h>

#include <gnutls/abstract.h>

#include "src/log.h"

/* What is offered: TLS 1.2 and 1.3, with forward secrecy and authenticated encryption only. All of it is
 * good, so the client chooses. The groups are those that clients send keys for at once; another would cost
 * a round trip. */
#define TLS_PRIORITIES                                                                        \
    "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:-MAC-ALL:+AEAD:" \
    "-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:+GROUP-SECP384R1"

struct tls;

struct tls_pair {
    gnutls_pcert_st *chain; /* the server's own first */
    unsigned length;
    gnutls_privkey_t key;
};

/* Reads the files (PEM), whose names are borrowed. NULL, with a log line that says why, if one cannot be read
 * or they do not belong together; or when there is no memory. */
struct tls *tls_create(const char *certificate, const char *key, const struct log *log);

/* No pair may be taken any more. NULL is allowed. */
void tls_destroy(struct tls *tls);

/* Reads the files anew. If they are no good that is logged, and the pair in force stays. */
void tls_reload(struct tls *tls);

/* The pair in force, to be given back. */
const struct tls_pair *tls_take(struct tls *tls);
void tls_give(const struct tls_pair *pair);

#endif
