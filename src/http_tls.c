/* Connections with TLS: which certificate they show, and how to write to them past libmicrohttpd. */
#include "src/http_private.h"

#include <gnutls/gnutls.h>
#include <microhttpd.h>

/* GnuTLS asks for the certificate while a client shakes hands. The session has been told its connection. */
static int on_certificate(gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
                          const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **chain,
                          unsigned *length, gnutls_privkey_t *key)
{
    (void)authorities;
    (void)authority_count;
    (void)algorithms;
    (void)algorithm_count;
    const struct http_connection *connection = gnutls_session_get_ptr(session);
    if (connection == NULL) /* it was refused */
        return -1;
    *chain = connection->pair->chain;
    *length = connection->pair->length;
    *key = connection->pair->key;
    return 0;
}

void http_tls_options(struct MHD_OptionItem *out)
{
    void *callback = (void *)(uintptr_t)on_certificate;
    out[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0, callback};
    out[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_PRIORITIES};
    out[2] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
}

void *http_tls_session(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL ? NULL : info->tls_session;
}

/* What came up to here was no request. */
static int on_finished(gnutls_session_t session, unsigned type, unsigned when, unsigned incoming,
                       const gnutls_datum_t *message)
{
    (void)type;
    (void)when;
    (void)message;
    if (incoming != 0)
        http_pace_forget(gnutls_session_get_ptr(session));
    return 0;
}

void http_tls_begin(struct MHD_Connection *mhd, struct http_connection *connection)
{
    void *session = http_tls_session(mhd);
    if (session == NULL)
        return;
    if (connection != NULL) {
        connection->session = session;
        connection->pair = tls_take(connection->http->loop->service->tls);
        gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST, on_finished);
    }
    gnutls_session_set_ptr(session, connection);
}

void http_tls_end(struct http_connection *connection)
{
    if (connection->pair != NULL)
        tls_give(connection->pair);
}

void http_tls_send_last(struct http_connection *connection, const void *bytes, size_t len)
{
    gnutls_session_t session = connection->session;
    if (len == 0 || gnutls_record_send(session, bytes, len) == (ssize_t)len)
        gnutls_bye(session, GNUTLS_SHUT_WR);
}
