/* src/live/flows/flow_record.c - see flow_record.h. Frames, sFlow, and NetFlow 9 with IPFIX. */
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

uint64_t record_number(const uint8_t *b, size_t length)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length && i < 8; i++)
        value = value << 8 | b[i];
    return value;
}

/* ---- bytes of a datagram ---- */

struct cursor { const uint8_t *at, *end; bool is_bad; };         /* bad: it ended before what was wanted */
struct receiver { record_hook *hook; void *arg; };

static size_t left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* The next so many bytes, followed by so many others that mean nothing. */
static struct cursor take_part(struct cursor *c, uint64_t length, uint64_t padding)
{
    struct cursor part = { c->at, c->at, false };

    if (left(c) < length + padding)
        c->is_bad = true;
    else {
        part.end = c->at + length;
        c->at = part.end + padding;
    }
    return part;
}

/* A number of so many bytes; 0 if they are not there. */
static uint64_t take(struct cursor *c, size_t length)
{
    struct cursor part = take_part(c, length, 0);

    return record_number(part.at, left(&part));
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

/* ---- sFlow: XDR, which is big-endian words, and opaque data padded to four bytes ---- */

enum { SAMPLE_FLOW = 1, SAMPLE_FLOW_EXPANDED = 3 };
enum { RECORD_RAW = 1, RECORD_V4 = 3, RECORD_V6 = 4 };
enum { HEADER_ETHERNET = 1, HEADER_IPV4 = 11, HEADER_IPV6 = 12 };

static uint32_t read_word(struct cursor *c)
{
    return (uint32_t)take(c, 4);
}

static void skip_words(struct cursor *c, int count)
{
    take_part(c, 4u * (uint64_t)count, 0);
}

static struct cursor read_opaque(struct cursor *c)
{
    uint32_t length = read_word(c);

    return take_part(c, length, -length & 3);
}

/* Records of a sample: these return whether they delivered a flow. */

static bool deliver_sample(const struct receiver *t, struct flow_record *r, uint32_t rate)
{
    r->bytes *= rate ? rate : 1;
    t->hook(t->arg, r);
    return true;
}

static bool read_raw(struct cursor c, uint32_t rate, const struct receiver *t)
{
    uint32_t           protocol = read_word(&c);
    struct flow_record r;

    skip_words(&c, 2);           /* length on the wire: the IP header says more exactly; bytes stripped */
    struct cursor head = read_opaque(&c);
    bool is_good = protocol == HEADER_ETHERNET ? frame_read(&r, head.at, left(&head)) :
                   protocol == HEADER_IPV4 || protocol == HEADER_IPV6 ?
                   frame_read_ip(&r, head.at, left(&head)) : false;
    return !c.is_bad && is_good && deliver_sample(t, &r, rate);
}

/* A record without the packet's header: length, protocol, addresses, ports. */
static bool read_parsed(struct cursor c, bool is_v6, uint32_t rate, const struct receiver *t)
{
    struct flow_record r = { .qp = RECORD_QP_NONE };
    size_t             address = is_v6 ? 16 : 4;

    r.bytes = read_word(&c);
    r.protocol = (uint8_t)read_word(&c);
    if (left(&c) < 2 * address)
        return false;
    memcpy(r.source, c.at, address);
    memcpy(r.target, c.at + address, address);
    c.at += 2 * address;
    r.source_port = (uint16_t)read_word(&c);
    r.target_port = (uint16_t)read_word(&c);
    return !c.is_bad && deliver_sample(t, &r, rate);
}

/* Uses the first known record of a packet: usually the raw header, which has the queue pair. */
static void read_flow(struct cursor c, bool is_expanded, const struct receiver *t)
{
    uint32_t rate, records;
    bool     is_done = false;

    skip_words(&c, is_expanded ? 3 : 2);         /* sequence, source */
    rate = read_word(&c);
    skip_words(&c, is_expanded ? 6 : 4);         /* pool, drops, input, output */
    records = read_word(&c);
    for (uint32_t i = 0; i < records && !c.is_bad; i++) {
        uint32_t      tag = read_word(&c);
        struct cursor body = read_opaque(&c);

        if (c.is_bad || is_done)
            continue;
        if (tag == RECORD_RAW)
            is_done = read_raw(body, rate, t);
        else if (tag == RECORD_V4 || tag == RECORD_V6)
            is_done = read_parsed(body, tag == RECORD_V6, rate, t);
    }
}

int sflow_read(const uint8_t *bytes, size_t length, record_hook *hook, void *arg)
{
    struct cursor   c = { bytes, bytes + length, false };
    struct receiver t = { hook, arg };
    uint32_t        version = read_word(&c), kind = read_word(&c), samples;

    if (version != 5 || (kind != 1 && kind != 2))
        return -EBADMSG;
    skip_words(&c, kind == 1 ? 4 : 7);           /* address of the agent; sub-agent, sequence, uptime */
    samples = read_word(&c);
    for (uint32_t i = 0; i < samples && !c.is_bad; i++) {
        uint32_t      tag = read_word(&c);
        struct cursor body = read_opaque(&c);

        if (!c.is_bad && (tag == SAMPLE_FLOW || tag == SAMPLE_FLOW_EXPANDED))
            read_flow(body, tag == SAMPLE_FLOW_EXPANDED, &t);
    }
    return c.is_bad ? -EBADMSG : 0;
}

/* ---- NetFlow 9 and IPFIX ---- */

#define VERSION_9       9
#define VERSION_IPFIX   10
#define VARIES          65535
#define ENTERPRISE      0x8000

enum {                           /* elements that are needed, by their numbers at IANA */
    BYTES = 1, PROTOCOL = 4, SOURCE_PORT = 7, SOURCE_V4 = 8, TARGET_PORT = 11, TARGET_V4 = 12,
    SOURCE_V6 = 27, TARGET_V6 = 28, SAMPLING_INTERVAL = 34, SAMPLER_INTERVAL = 50, BYTES_TOTAL = 85,
    END_REASON = 136, PACKET_INTERVAL = 305, PACKET_SPACE = 306, SAMPLING_SIZE = 309,
    SAMPLING_POPULATION = 310,
};

struct reading {                 /* of one datagram */
    struct ipfix   *x;
    uint64_t        exporter;
    uint32_t        domain;
    bool            is_v9;
    struct receiver to;
    uint64_t       *unknown;
};

static struct ipfix_template *find_template(const struct reading *r, uint32_t id)
{
    for (uint32_t i = 0; i < IPFIX_TEMPLATES; i++) {
        struct ipfix_template *t = &r->x->template[i];

        if (t->exporter == r->exporter && t->domain == r->domain && t->id == id) {
            t->used = ++r->x->uses;
            return t;
        }
    }
    return NULL;
}

/* Its own place, or that of the one that was not used for longest; a free one was never used. */
static void keep_template(const struct reading *r, const struct ipfix_template *t)
{
    struct ipfix_template *place = find_template(r, t->id), *oldest = &r->x->template[0];

    for (uint32_t i = 1; i < IPFIX_TEMPLATES; i++)
        if (r->x->template[i].used < oldest->used)
            oldest = &r->x->template[i];
    if (!place)
        place = oldest;
    *place = *t;
    place->used = ++r->x->uses;
}

static struct ipfix_domain *domain_of(const struct reading *r, bool is_new)
{
    struct ipfix_domain *oldest = &r->x->domain[0];

    for (uint32_t i = 0; i < IPFIX_DOMAINS; i++) {
        struct ipfix_domain *d = &r->x->domain[i];

        if (d->exporter == r->exporter && d->domain == r->domain)
            return d;
        if (d->used < oldest->used)
            oldest = d;
    }
    if (!is_new)
        return NULL;
    *oldest = (struct ipfix_domain){ r->exporter, r->domain, 1, ++r->x->uses };
    return oldest;
}

/* Reads 'count' fields into a template. False: the set ends before, or there is no room. */
static bool read_fields(const struct reading *r, struct cursor *c, struct ipfix_template *t, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        struct ipfix_field *f = &t->field[t->fields];

        if (left(c) < 4 || t->fields == IPFIX_FIELDS)
            return false;
        f->id = (uint16_t)take(c, 2);
        f->length = (uint16_t)take(c, 2);
        if (!r->is_v9 && f->id & ENTERPRISE) {
            if (left(c) < 4)
                return false;
            f->id &= (uint16_t)~ENTERPRISE;
            f->enterprise = (uint32_t)take(c, 4);
        }
        t->fields++;
    }
    return true;
}

/* Options have two numbers: version 9 counts bytes of scope and of options, IPFIX fields, and those of
 * scope. */
static bool read_template(const struct reading *r, struct cursor *c, bool is_options)
{
    struct ipfix_template t = { .exporter = r->exporter, .domain = r->domain, .is_options = is_options };
    uint64_t              first, second, count;

    if (left(c) < (is_options ? 6u : 4u))
        return false;
    t.id = (uint16_t)take(c, 2);
    first = take(c, 2);
    second = is_options ? take(c, 2) : 0;
    count = is_options && r->is_v9 ? (first + second) / 4 : first;
    if (!first && !r->is_v9) {                   /* withdrawn */
        struct ipfix_template *old = find_template(r, t.id);

        if (old)
            *old = (struct ipfix_template){ 0 };
        return true;
    }
    if (t.id < 256 || !count || !read_fields(r, c, &t, count))
        return false;
    for (uint64_t i = 0; is_options && r->is_v9 && i < first / 4; i++)
        t.field[i].enterprise = UINT32_MAX;      /* scopes of version 9 have numbers of their own */
    keep_template(r, &t);
    return true;
}

static bool read_templates(const struct reading *r, struct cursor c, bool is_options)
{
    while (left(&c) >= 4)
        if (!read_template(r, &c, is_options))
            return left(&c) < 4 && record_number(c.at, left(&c)) == 0;       /* padding */
    return true;
}

struct sampling { uint64_t one_in, interval, space, size, population; };

static void take_field(struct flow_record *o, struct sampling *s, uint16_t id, const uint8_t *at,
                       size_t length)
{
    uint64_t value = record_number(at, length);

    switch (id) {
    case BYTES:               o->bytes = value; o->is_total = false; break;
    case BYTES_TOTAL:         if (!o->bytes) { o->bytes = value; o->is_total = true; } break;
    case PROTOCOL:            o->protocol = (uint8_t)value; break;
    case SOURCE_PORT:         o->source_port = (uint16_t)value; break;
    case TARGET_PORT:         o->target_port = (uint16_t)value; break;
    case SOURCE_V4:           if (length == 4) memcpy(o->source, at, 4); break;
    case TARGET_V4:           if (length == 4) memcpy(o->target, at, 4); break;
    case SOURCE_V6:           if (length == 16) memcpy(o->source, at, 16); break;
    case TARGET_V6:           if (length == 16) memcpy(o->target, at, 16); break;
    case END_REASON:          o->is_ended = value != 2; break;           /* 2: it goes on */
    case SAMPLING_INTERVAL: case SAMPLER_INTERVAL: s->one_in = value; break;
    case PACKET_INTERVAL:     s->interval = value; break;
    case PACKET_SPACE:        s->space = value; break;
    case SAMPLING_SIZE:       s->size = value; break;
    case SAMPLING_POPULATION: s->population = value; break;
    default: break;
    }
}

/* 0: unknown. */
static double one_in(const struct sampling *s)
{
    return s->one_in ? (double)s->one_in :
           s->interval ? (double)(s->interval + s->space) / (double)s->interval :
           s->size && s->population >= s->size ? (double)s->population / (double)s->size : 0;
}

/* How long a field of a record is; SIZE_MAX: the record ends before. */
static size_t field_length(const struct reading *r, const struct ipfix_field *f, struct cursor *c)
{
    size_t length = f->length;

    if (length == VARIES && !r->is_v9)
        length = (size_t)take(c, 1);
    if (length == 255 && f->length == VARIES)
        length = (size_t)take(c, 2);
    return !c->is_bad && length <= left(c) ? length : SIZE_MAX;
}

static bool read_record(const struct reading *r, const struct ipfix_template *t, struct cursor *c,
                        struct flow_record *o, struct sampling *s)
{
    const uint8_t *begin = c->at;

    *o = (struct flow_record){ .qp = RECORD_QP_NONE };
    for (uint32_t i = 0; i < t->fields; i++) {
        size_t length = field_length(r, &t->field[i], c);

        if (length == SIZE_MAX)
            return false;
        if (!t->field[i].enterprise)
            take_field(o, s, t->field[i].id, c->at, length);
        c->at += length;
    }
    return c->at > begin;        /* one of no bytes would go on for ever */
}

static void deliver(const struct reading *r, struct flow_record *o, const struct sampling *own)
{
    const struct ipfix_domain *d = domain_of(r, false);
    double                     bytes = (double)o->bytes * (one_in(own) > 0 ? one_in(own) : d ? d->one_in : 1);

    if (!o->bytes)
        return;
    o->bytes = bytes < 1e18 ? (uint64_t)(bytes + 0.5) : 1000000000000000000;
    r->to.hook(r->to.arg, o);
}

static void read_data(const struct reading *r, const struct ipfix_template *t, struct cursor c)
{
    struct flow_record o;

    for (;;) {
        struct sampling s = { 0 };

        if (!read_record(r, t, &c, &o, &s))
            return;
        if (!t->is_options)
            deliver(r, &o, &s);
        else if (one_in(&s) > 0)
            domain_of(r, true)->one_in = one_in(&s);
    }
}

static bool read_set(const struct reading *r, uint64_t id, struct cursor c)
{
    if (id == (r->is_v9 ? 0 : 2))
        return read_templates(r, c, false);
    if (id == (r->is_v9 ? 1 : 3))
        return read_templates(r, c, true);
    if (id < 256)
        return true;             /* reserved */
    const struct ipfix_template *t = find_template(r, (uint32_t)id);
    if (t)
        read_data(r, t, c);
    else
        ++*r->unknown;
    return true;
}

int ipfix_read(struct ipfix *x, uint64_t exporter, const uint8_t *bytes, size_t length,
               record_hook *hook, void *arg, uint64_t *unknown)
{
    struct reading r = { .x = x, .exporter = exporter, .to = { hook, arg }, .unknown = unknown };
    struct cursor  c = { bytes, bytes + length, false };
    uint64_t       version = take(&c, 2), size = take(&c, 2);
    size_t         head = version == VERSION_9 ? 20 : 16;

    r.is_v9 = version == VERSION_9;
    if ((!r.is_v9 && (version != VERSION_IPFIX || size > length)) || length < head)
        return -EBADMSG;
    c.end = r.is_v9 ? c.end : bytes + size;
    c.at = bytes + head;
    r.domain = (uint32_t)record_number(c.at - 4, 4);
    while (c.end > c.at && left(&c) >= 4) {
        uint64_t id = take(&c, 2);

        size = take(&c, 2);
        struct cursor set = take_part(&c, size - 4, 0);
        if (size < 4 || c.is_bad || !read_set(&r, id, set))
            return -EBADMSG;
    }
    return 0;
}
