/* What libmicrohttpd has to say, and what is made of it. */
#include "src/http_private.h"

#include <stdlib.h>
#include <string.h>

#include <microhttpd.h>

/* How long the log may take when the process is about to abort. */
#define PANIC_FLUSH_MS 500

static void on_panic(void *cls, const char *file, unsigned line, const char *reason)
{
    log_write(cls, LOG_ERROR, "libmicrohttpd: panic: %s (%s:%u)", reason == NULL ? "?" : reason, file, line);
    log_flush(cls, PANIC_FLUSH_MS);
    abort();
}

#if MHD_VERSION < 0x01000000

/* The connection whose head is complete while its handler has not been called: libmicrohttpd is looking at
 * it. */
static struct http_connection *find_parsing(struct http *http)
{
    for (struct list *link = http->connections.next; link != &http->connections; link = link->next) {
        struct http_connection *connection = list_item(link, struct http_connection, link);
        if (connection->request != NULL && connection->request->call.method == NULL &&
            MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL)
            return connection;
    }
    return NULL;
}

/* Where libmicrohttpd 0.9 fails between the end of the head and its handler, it forgets that it has begun
 * to answer, and sends two heads and one body, or nothing. It says what it found in a message before, and
 * that is the one moment to give an answer that clients can read; its own then finds no way out. */
static void answer_failure(struct http *http, const char *message)
{
    static const struct {
        const char *begins;
        enum problem_code code;
    } failures[] = {
        {"Failed to parse `Content-Length'", PROBLEM_BAD_FRAMING},
        {"Too large value of 'Content-Length'", PROBLEM_REQUEST_TOO_LARGE},
        {"Not enough memory in pool", PROBLEM_HEAD_TOO_LARGE}, /* for cookies, which it reads then */
    };
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        bool is = strncmp(message, failures[i].begins, strlen(failures[i].begins)) == 0;
        struct http_connection *connection = is ? find_parsing(http) : NULL;
        if (connection != NULL)
            http_upload_fail(connection, failures[i].code);
    }
}

#endif

/* It reports what clients do: of interest only to those who look for it. */
void http_message(void *cls, const char *format, va_list args)
{
    struct http *http = cls;
    log_vwrite(&http->loop->service->log, LOG_DEBUG, format, args);
#if MHD_VERSION < 0x01000000
    answer_failure(http, format);
#endif
}

const char *http_library_version(void)
{
    return MHD_get_version();
}

void http_process_init(const struct log *log)
{
    MHD_set_panic_func(on_panic, (void *)(uintptr_t)log);
}
