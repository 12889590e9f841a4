#include "live/view/fetch.h"
#include "base/err.h"

#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_S 20
#define BYTES_MAX  (16u << 20)

struct call { struct fetch *to; bool (*is_over)(void *); void *arg; };

static size_t on_bytes(char *bytes, size_t one, size_t count, void *arg)
{
    struct fetch *f = arg;

    if (f->length + one * count > BYTES_MAX)
        return 0;
    f->text = xrealloc(f->text, f->length + one * count + 1);
    memcpy(f->text + f->length, bytes, one * count);
    f->length += one * count;
    f->text[f->length] = '\0';
    return one * count;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct call *call = arg;

    (void)a, (void)b, (void)c, (void)d;
    return call->is_over(call->arg);
}

bool fetch_get(struct fetch *f, const char *url, bool (*is_over)(void *), void *arg)
{
    struct call call = { f, is_over, arg };
    char        why[CURL_ERROR_SIZE] = "";
    CURL       *curl = curl_easy_init();

    *f = (struct fetch){ 0 };
    if (!curl)
        die("libcurl does not begin");
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)PATIENCE_S);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, f);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &call);
    CURLcode rc = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &f->status);
    curl_easy_cleanup(curl);
    if (rc)
        snprintf(f->why, sizeof f->why, "%s", *why ? why : curl_easy_strerror(rc));
    return !rc;
}

char *fetch_escape(const char *text)
{
    char *made = curl_easy_escape(NULL, text, 0), *copy = xstrdup(made ? made : "");

    curl_free(made);
    return copy;
}
