/* src/live/http/gate.h - who may do what over HTTP, decided from the head of a request alone.
 *
 * Reading is open to this machine; elsewhere it needs the token. What changes something always needs the token, in the header
 * Authorization, which no browser sends by itself; a page of another site is refused even if it had it. The name in Host must be
 * one of ours, so that no other name can be made to point here. Whoever guesses is slowed down.
 */
#ifndef LIVE_HTTP_GATE_H
#define LIVE_HTTP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#define GATE_HOSTS_MAX 8

struct gate {
    const char *token;                   /* NULL: nobody may change anything */
    bool        is_local;                /* only this machine can come */
    const char *host[GATE_HOSTS_MAX];    /* names under which we are known, without port, beside those of this machine */
    uint32_t    hosts;
    double      tries;                   /* wrong tokens that are still answered at once */
    uint64_t    tried_us;
};

struct gate_request {                    /* what is not there is NULL */
    const char *method, *host, *authorization;
    const char *origin, *site;           /* Origin, Sec-Fetch-Site */
    const char *type;                    /* Content-Type */
};

void gate_init(struct gate *, const char *token, bool is_local);

/* 0, or the status with which it is refused and the reason, in words. */
int gate_check(struct gate *, const struct gate_request *, uint64_t now_us, const char **why);

/* Are two texts the same? Takes as long for any two of these lengths. */
bool gate_is_same(const char *, const char *);

#endif
