/* src/live/flows/flow_record_sflow.c - XDR: big-endian words, opaque data padded to four bytes. */
#include "live/flows/flow_record.h"

#include <errno.h>
#include <string.h>

#define TYPE_IPV4   0x0800
#define TYPE_IPV6   0x86dd
#define TYPE_VLAN   0x8100
#define TYPE_QINQ   0x88a8
#define UDP         17
#define TCP         6
#define VLANS_MAX   4

enum { SAMPLE_FLOW = 1, SAMPLE_FLOW_EXPANDED = 3 };
enum { RECORD_RAW = 1, RECORD_V4 = 3, RECORD_V6 = 4 };
enum { HEADER_ETHERNET = 1, HEADER_IPV4 = 11, HEADER_IPV6 = 12 };

uint64_t record_number(const uint8_t *b, size_t length)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length && i < 8; i++)
        value = value << 8 | b[i];
    return value;
}

/* ---- frames ---- */

/* The ports, and the queue pair of RoCEv2: eight bytes of UDP, then BTH. */
static void read_ports(struct flow_record *r, const uint8_t *b, size_t length)
{
    r->qp = RECORD_QP_NONE;
    if (length < 4 || (r->protocol != UDP && r->protocol != TCP))
        return;
    r->source_port = (uint16_t)record_number(b, 2);
    r->target_port = (uint16_t)record_number(b + 2, 2);
    if (r->protocol == UDP && r->target_port == RECORD_ROCE_PORT && length >= 16)
        r->qp = (uint32_t)record_number(b + 13, 3);
}

static bool read_v4(struct flow_record *r, const uint8_t *b, size_t length)
{
    size_t head = (size_t)(b[0] & 15) * 4;
    bool   is_later = length >= 8 && (record_number(b + 6, 2) & 0x1fff);       /* of a fragment: no ports */

    if (length < 20 || head < 20)
        return false;
    r->protocol = b[9];
    r->bytes = record_number(b + 2, 2);
    memcpy(r->source, b + 12, 4);
    memcpy(r->target, b + 16, 4);
    read_ports(r, b + head, length > head && !is_later ? length - head : 0);
    return r->bytes >= head;
}

static bool read_v6(struct flow_record *r, const uint8_t *b, size_t length)
{
    if (length < 40)
        return false;
    r->protocol = b[6];
    r->bytes = record_number(b + 4, 2) + 40;
    memcpy(r->source, b + 8, 16);
    memcpy(r->target, b + 24, 16);
    read_ports(r, b + 40, length - 40);
    return true;
}

static bool frame_read_ip(struct flow_record *r, const uint8_t *b, size_t length)
{
    *r = (struct flow_record){ .qp = RECORD_QP_NONE };
    return length &&
           (b[0] >> 4 == 4 ? read_v4(r, b, length) : b[0] >> 4 == 6 ? read_v6(r, b, length) : false);
}

bool frame_read(struct flow_record *r, const uint8_t *b, size_t length)
{
    size_t   at = 12;
    uint64_t type = 0;

    for (int i = 0; i <= VLANS_MAX; i++, at += 4) {
        if (at + 2 > length)
            return false;
        type = record_number(b + at, 2);
        if (type != TYPE_VLAN && type != TYPE_QINQ)
            break;
    }
    return (type == TYPE_IPV4 || type == TYPE_IPV6) && frame_read_ip(r, b + at + 2, length - at - 2);
}

/* ---- words ---- */

struct cursor { const uint8_t *at, *end; bool is_bad; };
struct receiver { record_hook *hook; void *arg; };

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

/* ---- records of a sample: these return whether they delivered a flow ---- */

static bool deliver(const struct receiver *t, struct flow_record *r, uint32_t rate)
{
    r->bytes *= rate ? rate : 1;
    t->hook(t->arg, r);
    return true;
}

static bool read_raw(struct cursor c, uint32_t rate, const struct receiver *t)
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
        return false;
    is_good = protocol == HEADER_ETHERNET ? frame_read(&r, head.at, (size_t)(head.end - head.at)) :
              protocol == HEADER_IPV4 || protocol == HEADER_IPV6 ?
              frame_read_ip(&r, head.at, (size_t)(head.end - head.at)) : false;
    return is_good && deliver(t, &r, rate);
}

/* A record without the packet's header: length, protocol, addresses, ports. */
static bool read_parsed(struct cursor c, bool is_v6, uint32_t rate, const struct receiver *t)
{
    struct flow_record r = { .qp = RECORD_QP_NONE };
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
    return !c.is_bad && deliver(t, &r, rate);
}

/* Uses the first known record of a packet: usually the raw header, which has the queue pair. */
static void read_flow(struct cursor c, bool is_expanded, const struct receiver *t)
{
    uint32_t rate, records;
    bool     is_done = false;

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

        if (c.is_bad || is_done)
            continue;
        if (tag == RECORD_RAW)
            is_done = read_raw(body, rate, t);
        else if (tag == RECORD_V4 || tag == RECORD_V6)
            is_done = read_parsed(body, tag == RECORD_V6, rate, t);
    }
}

/* ---- datagrams ---- */

int sflow_read(const uint8_t *bytes, size_t length, record_hook *hook, void *arg)
{
    struct cursor   c = { bytes, bytes + length, false };
    struct receiver t = { hook, arg };
    uint32_t        version = read_word(&c), kind = read_word(&c), samples;

    if (version != 5 || (kind != 1 && kind != 2))
        return -EBADMSG;
    take_part(&c, kind == 1 ? 4 : 16);           /* address of the agent */
    read_word(&c);                                    /* sub-agent */
    read_word(&c);                                    /* sequence */
    read_word(&c);                                    /* uptime */
    samples = read_word(&c);
    for (uint32_t i = 0; i < samples && !c.is_bad; i++) {
        uint32_t      tag = read_word(&c), size = read_word(&c);
        struct cursor body = take_part(&c, size);

        if (!c.is_bad && (tag == SAMPLE_FLOW || tag == SAMPLE_FLOW_EXPANDED))
            read_flow(body, tag == SAMPLE_FLOW_EXPANDED, &t);
    }
    return c.is_bad ? -EBADMSG : 0;
}
