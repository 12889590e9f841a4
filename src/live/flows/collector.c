#include "live/flows/collector.h"
#include "base/digest.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACES (2ul * COLLECTOR_FLOWS_MAX) /* a power of two, so that the table is at most half full */
#define SILENT_MAX    30u        /* windows after which a flow is forgotten */
#define AT_ONCE       256        /* datagrams before the loop goes on with something else */
#define UDP           17

struct collected {
    unsigned __int128 key;       /* digest of what identifies the flow; 0: free */
    struct flowstate state;
    uint64_t         bytes;      /* in this window */
    uint64_t         total;      /* from exporters that send totals */
    uint8_t          silent;     /* windows */
    bool             is_ended;
};

void collector_init(struct collector *c, uint64_t window_us)
{
    memset(c, 0, sizeof *c);
    c->fd = -1;
    c->window_us = window_us;
    c->flow = xcalloc(PLACES, sizeof *c->flow);
    c->states = flowstate_configure((struct flowstate_cfg){ .with_bins = 1 });
}

void collector_fini(struct collector *c)
{
    if (c->fd >= 0)
        close(c->fd);
    free(c->flow);
    c->flow = NULL;
    c->fd = -1;
}

/* ---- flows ---- */

static unsigned __int128 key_of(const struct flow_record *r)
{
    struct digest d;

    digest_init(&d);
    digest_add(&d, r->source, sizeof r->source);
    digest_add(&d, r->target, sizeof r->target);
    if (r->qp != RECORD_QP_NONE)
        digest_add(&d, &r->qp, sizeof r->qp);
    else
        digest_add(&d, &r->source_port, sizeof r->source_port);
    return d.state | 1;          /* not free */
}

static struct collected *place_of(struct collected *table, unsigned __int128 key)
{
    uint32_t i = (uint32_t)(key >> 7 ^ key >> 64) & (PLACES - 1);

    while (table[i].key && table[i].key != key)
        i = (i + 1) & (PLACES - 1);
    return &table[i];
}

static void take_record(void *arg, const struct flow_record *r)
{
    struct collector *c = arg;
    unsigned __int128 key = key_of(r);
    uint64_t          more = r->bytes;

    c->counts.records++;
    if (r->protocol != UDP || r->target_port != RECORD_ROCE_PORT) {
        c->counts.other++;
        return;
    }
    struct collected *f = place_of(c->flow, key);
    if (!f->key && c->used == COLLECTOR_FLOWS_MAX) {
        c->counts.full++;
        return;
    }
    if (!f->key) {
        *f = (struct collected){ .key = key };
        c->used++;
    }
    if (r->is_total) {
        more = r->bytes > f->total ? r->bytes - f->total : 0;
        f->total = r->bytes;
    }
    f->bytes += more < UINT64_MAX - f->bytes ? more : 0;
    f->is_ended |= r->is_ended;
}

/* ---- windows ---- */

/* All flows step; those that stay move to another table. */
static void end_window(struct collector *c)
{
    struct collected *table = xcalloc(PLACES, sizeof *table);
    struct flow_tally tally = { 0 };

    c->used = 0;
    for (uint32_t i = 0; i < PLACES; i++) {
        struct collected *f = &c->flow[i];

        if (!f->key)
            continue;
        enum flow_class class = flowstate_step(&c->states, &f->state, f->bytes);
        flow_tally_add(&c->states, &tally, class, f->state);
        f->silent = (uint8_t)(f->bytes ? 0 : f->silent + 1);
        f->bytes = 0;
        if (f->is_ended || f->silent >= SILENT_MAX)
            continue;
        *place_of(table, f->key) = *f;
        c->used++;
    }
    flow_tally_write(&c->states, &tally, &c->last);
    free(c->flow);
    c->flow = table;
}

void collector_read(struct collector *c, uint64_t now_us, struct fsd *out)
{
    if (!c->ends_us)
        c->ends_us = now_us + c->window_us;
    if (now_us >= c->ends_us) {
        end_window(c);
        c->ends_us += c->window_us;
        if (c->ends_us <= now_us)
            c->ends_us = now_us + c->window_us;
    }
    *out = c->last;
}

/* ---- datagrams ---- */

void collector_take(struct collector *c, const uint8_t from[16], const uint8_t *bytes, size_t length)
{
    struct digest exporter;
    int           rc;
    bool          is_allowed = !c->senders;

    for (uint32_t i = 0; i < c->senders; i++)
        is_allowed |= memcmp(c->from[i], from, 16) == 0;
    c->counts.datagrams++;
    if (!is_allowed) {
        c->counts.strangers++;
        return;
    }
    if (length >= 4 && record_number(bytes, 4) == 5)
        rc = sflow_read(bytes, length, take_record, c);
    else {
        digest_init(&exporter);
        digest_add(&exporter, from, 16);
        rc = ipfix_read(&c->ipfix, (uint64_t)exporter.state | 1, bytes, length, take_record, c,
                        &c->counts.unknown);
    }
    c->counts.bad += rc != 0;
}

/* Any address as one of IPv6. */
static void plain(const struct sockaddr_storage *a, uint8_t out[16])
{
    memset(out, 0, 16);
    if (a->ss_family == AF_INET6)
        memcpy(out, &((const struct sockaddr_in6 *)a)->sin6_addr, 16);
    else {
        out[10] = out[11] = 0xff;
        memcpy(out + 12, &((const struct sockaddr_in *)a)->sin_addr, 4);
    }
}

void collector_run(struct collector *c)
{
    static uint8_t          bytes[65536];
    struct sockaddr_storage a = { 0 };
    uint8_t                 from[16];

    for (int i = 0; i < AT_ONCE && c->fd >= 0; i++) {
        socklen_t size = sizeof a;
        ssize_t   length = recvfrom(c->fd, bytes, sizeof bytes, MSG_DONTWAIT, (struct sockaddr *)&a, &size);

        if (length < 0)
            return;
        plain(&a, from);
        collector_take(c, from, bytes, (size_t)length);
    }
}

/* ---- opening ---- */

int collector_allow(struct collector *c, const char *address, struct err *err)
{
    struct sockaddr_storage a = { .ss_family = AF_INET };

    if (c->senders == COLLECTOR_FROM_MAX)
        return err_set(err, EINVAL, "'%.60s' is too much: there may be %d", address, COLLECTOR_FROM_MAX);
    if (inet_pton(AF_INET, address, &((struct sockaddr_in *)&a)->sin_addr) != 1) {
        a.ss_family = AF_INET6;
        if (inet_pton(AF_INET6, address, &((struct sockaddr_in6 *)&a)->sin6_addr) != 1)
            return err_set(err, EINVAL, "'%.60s' is not an IP address", address);
    }
    plain(&a, c->from[c->senders++]);
    return 0;
}

int collector_open(struct collector *c, const char *address, struct err *err)
{
    struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST }, *a = NULL;
    struct address  at;
    int             rc = 0, room = 4 << 20;

    if (address_split(&at, address))
        return err_set(err, EINVAL, "%s: an address is host:port", address);
    if (getaddrinfo(at.host, at.port, &hints, &a))
        return err_set(err, EINVAL, "%s: an IP address and a port are wanted", address);
    c->fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0 || bind(c->fd, a->ai_addr, a->ai_addrlen))
        rc = err_set(err, errno, "%s: %s", address, strerror(errno));
    else
        setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    freeaddrinfo(a);
    return rc;
}
