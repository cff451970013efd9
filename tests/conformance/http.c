#include "tests/conformance/http.h"

#include <errno.h>
#include <stdlib.h>

#include <curl/curl.h>

#include "tests/conformance/text.h"

struct http {
    const struct target *target;
    CURL *curl; /* keeps its connection from request to request */
    char error[CURL_ERROR_SIZE];
};

bool http_init(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

struct http *http_open(const struct target *target)
{
    struct http *http = malloc(sizeof(*http));
    CURL *curl = curl_easy_init();
    if (http == NULL || curl == NULL) {
        fputs("shaped-conform: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    *http = (struct http){.target = target, .curl = curl};
    return http;
}

void http_close(struct http *http)
{
    curl_easy_cleanup(http->curl);
    free(http);
}

/* Appends "NAME: VALUE"; on a value of NULL, "NAME:", libcurl leaves the header out. */
static void add_header(struct curl_slist **headers, struct arena *arena, const char *name, const char *value)
{
    struct curl_slist *longer =
        curl_slist_append(*headers, arena_printf(arena, "%s:%s%s", name, value != NULL ? " " : "", value ? value : ""));
    if (longer != NULL)
        *headers = longer;
}

static struct curl_slist *request_headers(const struct request *request, struct arena *arena)
{
    struct curl_slist *headers = NULL;
    add_header(&headers, arena, "Accept", request->accept);
    if (request->parts == 0)
        add_header(&headers, arena, "Content-Type", request->type);
    if (request->head >= 0)
        add_header(&headers, arena, "Inference-Header-Content-Length",
                   arena_printf(arena, "%lld", (long long)request->head));
    return headers;
}

static curl_mime *request_form(CURL *curl, const struct request *request)
{
    if (request->parts == 0)
        return NULL;
    curl_mime *form = curl_mime_init(curl);
    for (int i = 0; i < request->parts; i++) {
        const struct part *part = &request->part[i];
        curl_mimepart *field = curl_mime_addpart(form);
        curl_mime_name(field, part->name);
        curl_mime_filename(field, part->file);
        curl_mime_type(field, part->type);
        curl_mime_data(field, (const char *)part->content.ptr, part->content.len);
    }
    return form;
}

static int64_t response_head(CURL *curl)
{
    struct curl_header *header = NULL;
    if (curl_easy_header(curl, "Inference-Header-Content-Length", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return -1;
    char *end = NULL;
    errno = 0;
    long long value = strtoll(header->value, &end, 10);
    return errno == 0 && end != header->value && *end == '\0' && value >= 0 ? value : -2;
}

/* Sets everything for the request; what was set for the last one is gone. */
static void prepare(struct http *http, const char *url, const struct request *request, struct curl_slist *headers,
                    curl_mime *form, FILE *body)
{
    CURL *curl = http->curl;
    curl_easy_reset(curl);
    http->error[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->error);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, http->target->timeout);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "shaped-conform/" PACKAGE_VERSION);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, body); /* libcurl's own callback writes it with fwrite */
    if (http->target->unix_path != NULL)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, http->target->unix_path);
    if (form != NULL) {
        curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);
    } else {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.len);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, (const char *)request->body.ptr);
    }
}

bool http_post(struct http *http, const char *path, const struct request *request, struct arena *arena,
               struct response *ret, struct reason *why)
{
    struct text body;
    const char *url = arena_printf(arena, "%s%s%s%s", http->target->url, path, request->query != NULL ? "?" : "",
                                   request->query != NULL ? request->query : "");
    struct curl_slist *headers = request_headers(request, arena);
    curl_mime *form = request_form(http->curl, request);
    text_open(&body);
    prepare(http, url, request, headers, form, body.out);
    CURLcode code = curl_easy_perform(http->curl);
    if (code == CURLE_OK) {
        curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &ret->status);
        ret->head = response_head(http->curl);
        ret->body = text_close(&body, arena);
    } else {
        text_discard(&body);
        because(why, "no answer: %s", http->error[0] != '\0' ? http->error : curl_easy_strerror(code));
    }
    curl_mime_free(form);
    curl_slist_free_all(headers);
    return code == CURLE_OK;
}
