/* src/live/flows/sflow.c - see sflow.h. Everything is XDR: big-endian words, opaque data padded to four
 * bytes. */
#include "live/flows/sflow.h"
#include "live/flows/frame.h"

#include <errno.h>

enum { SAMPLE_FLOW = 1, SAMPLE_FLOW_EXPANDED = 3 };
enum { RECORD_RAW = 1, RECORD_V4 = 3, RECORD_V6 = 4 };
enum { HEADER_ETHERNET = 1, HEADER_IPV4 = 11, HEADER_IPV6 = 12 };

struct cursor { const uint8_t *at, *end; bool is_bad; };
struct receiver { record_hook *hook; void *arg; struct sflow_facts *facts; };

static uint32_t read_word(struct cursor *c)
{
    uint32_t value;

    if (c->end - c->at < 4) {
        c->is_bad = true;
        return 0;
    }
    value = (uint32_t)record_number(c->at, 4);
    c->at += 4;
    return value;
}

/* A part of so many bytes, padded to four. */
static struct cursor take_part(struct cursor *c, uint32_t length)
{
    uint64_t      padded = ((uint64_t)length + 3) & ~3ull;
    struct cursor part = { c->at, c->at, false };

    if ((uint64_t)(c->end - c->at) < padded) {
        c->is_bad = true;
        return part;
    }
    part.end = c->at + length;
    c->at += padded;
    return part;
}

/* ---- records of a sample ---- */

static void deliver(const struct receiver *t, struct flow_record *r, uint32_t rate)
{
    r->bytes *= rate ? rate : 1;
    r->packets = rate ? rate : 1;
    t->facts->flows++;
    t->hook(t->arg, r);
}

static void read_raw(struct cursor c, uint32_t rate, const struct receiver *t)
{
    uint32_t           protocol = read_word(&c), length;
    struct cursor      head;
    struct flow_record r;
    bool               is_good;

    read_word(&c);                    /* length on the wire; the IP header says more exactly */
    read_word(&c);                    /* bytes that were stripped */
    length = read_word(&c);
    head = take_part(&c, length);
    if (c.is_bad)
        return;
    is_good = protocol == HEADER_ETHERNET ? frame_read(&r, head.at, (size_t)(head.end - head.at)) :
              protocol == HEADER_IPV4 || protocol == HEADER_IPV6 ?
              frame_read_ip(&r, head.at, (size_t)(head.end - head.at)) : false;
    if (is_good)
        deliver(t, &r, rate);
}

/* A record without the packet's header: length, protocol, addresses, ports. */
static void read_parsed(struct cursor c, bool is_v6, uint32_t rate, const struct receiver *t)
{
    struct flow_record r = { .is_v6 = is_v6, .qp = RECORD_QP_NONE };
    size_t             address = is_v6 ? 16 : 4;

    r.bytes = read_word(&c);
    r.protocol = (uint8_t)read_word(&c);
    for (int side = 0; side < 2; side++) {
        struct cursor part = take_part(&c, (uint32_t)address);

        for (size_t i = 0; i < address && !c.is_bad; i++)
            (side ? r.target : r.source)[i] = part.at[i];
    }
    r.source_port = (uint16_t)read_word(&c);
    r.target_port = (uint16_t)read_word(&c);
    if (!c.is_bad)
        deliver(t, &r, rate);
}

/* One record per packet is enough: the raw header comes first by custom, and knows the queue pair. */
static void read_flow(struct cursor c, bool is_expanded, const struct receiver *t)
{
    uint32_t before = t->facts->flows, rate, records;

    read_word(&c);                    /* sequence */
    read_word(&c);                    /* source */
    if (is_expanded)
        read_word(&c);
    rate = read_word(&c);
    read_word(&c);                    /* pool */
    read_word(&c);                    /* drops */
    for (int i = 0; i < (is_expanded ? 4 : 2); i++)
        read_word(&c);                /* input, output */
    records = read_word(&c);
    for (uint32_t i = 0; i < records && !c.is_bad; i++) {
        uint32_t      tag = read_word(&c), length = read_word(&c);
        struct cursor body = take_part(&c, length);

        if (c.is_bad || t->facts->flows != before)
            continue;
        if (tag == RECORD_RAW)
            read_raw(body, rate, t);
        else if (tag == RECORD_V4 || tag == RECORD_V6)
            read_parsed(body, tag == RECORD_V6, rate, t);
    }
}

/* ---- datagrams ---- */

int sflow_read(const uint8_t *bytes, size_t length, record_hook *hook, void *arg, struct sflow_facts *facts)
{
    struct cursor c = { bytes, bytes + length, false };
    struct receiver t = { hook, arg, facts };
    uint32_t      version = read_word(&c), kind = read_word(&c), samples;

    *facts = (struct sflow_facts){ 0 };
    if (version != 5 || (kind != 1 && kind != 2))
        return -EBADMSG;
    take_part(&c, kind == 1 ? 4 : 16);           /* address of the agent */
    read_word(&c);                                    /* sub-agent */
    facts->sequence = read_word(&c);
    read_word(&c);                                    /* uptime */
    samples = read_word(&c);
    for (uint32_t i = 0; i < samples && !c.is_bad; i++) {
        uint32_t      tag = read_word(&c), size = read_word(&c);
        struct cursor body = take_part(&c, size);

        if (c.is_bad)
            break;
        facts->samples++;
        if (tag == SAMPLE_FLOW || tag == SAMPLE_FLOW_EXPANDED)
            read_flow(body, tag == SAMPLE_FLOW_EXPANDED, &t);
    }
    return c.is_bad ? -EBADMSG : 0;
}
