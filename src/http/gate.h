/* src/http/gate.h - who may do what over HTTP, decided from the head of a request alone.
 *
 * Reading is open to this machine; elsewhere it needs the token, unless all there is may be read by whoever comes. What changes something always needs the token, in the header
 * Authorization, which no browser sends by itself; a page of another site is refused even if it had it. The name in Host must be
 * one of ours, so that no other name can be made to point here. Whoever guesses is slowed down. A certificate of a client does instead of the
 * token. Browsers send it by themselves; that no page of another site can make one do so is what Origin, Sec-Fetch-Site and the type are for.
 */
#ifndef HTTP_GATE_H
#define HTTP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#define GATE_HOSTS_MAX 8

struct gate {
    const char *token;                   /* NULL: nobody may change anything */
    bool        takes_clients;           /* a certificate does as well */
    bool        is_open;                 /* whoever comes may read: only this machine can come, or all may know */
    bool        is_told;                 /* there is nothing to change: GET and HEAD alone */
    bool        has_any_name;            /* it listens everywhere and cannot know its names */
    const char *host[GATE_HOSTS_MAX + 1];        /* names under which we are known, without port, beside those of this machine */
    uint32_t    hosts;
    double      tries;                   /* wrong tokens that are still answered at once */
    uint64_t    tried_us;
};

struct gate_request {                    /* what is not there is NULL */
    const char *method, *host, *authorization;
    const char *origin, *site;           /* Origin, Sec-Fetch-Site */
    const char *type;                    /* Content-Type */
    const char *dest;                    /* Sec-Fetch-Dest */
    const char *client;                  /* the subject of a certificate that was checked */
    const char *client_fault;            /* what is wrong with one */
};

void gate_init(struct gate *, const char *token, bool is_open);

/* 0, or the status with which it is refused and the reason, in words. */
int gate_check(struct gate *, const struct gate_request *, uint64_t now_us, const char **why);

/* Are two texts the same? Takes as long for any two of these lengths. */
bool gate_is_same(const char *, const char *);

#endif
