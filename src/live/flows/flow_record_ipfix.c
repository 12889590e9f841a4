#include "live/flows/flow_record.h"

#include <errno.h>
#include <string.h>

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

struct cursor { const uint8_t *at, *end; };

struct reading {                 /* of one datagram */
    struct ipfix       *x;
    uint64_t            exporter;
    uint32_t            domain;
    bool                is_v9;
    record_hook        *hook;
    void               *arg;
    uint64_t           *unknown;
};

static size_t left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

/* The caller has looked that it is there. */
static uint64_t read_number(struct cursor *c, size_t length)
{
    uint64_t value = record_number(c->at, length);

    c->at += length;
    return value;
}

/* ---- templates ---- */

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

static bool forget_template(const struct reading *r, uint32_t id)
{
    struct ipfix_template *t = find_template(r, id);

    if (t)
        *t = (struct ipfix_template){ 0 };
    return true;
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
        f->id = (uint16_t)read_number(c, 2);
        f->length = (uint16_t)read_number(c, 2);
        f->enterprise = 0;
        if (!r->is_v9 && f->id & ENTERPRISE) {
            if (left(c) < 4)
                return false;
            f->id &= (uint16_t)~ENTERPRISE;
            f->enterprise = (uint32_t)read_number(c, 4);
        }
        t->fields++;
    }
    return true;
}

static bool read_template(const struct reading *r, struct cursor *c)
{
    struct ipfix_template t = { .exporter = r->exporter, .domain = r->domain };
    uint64_t              count;

    t.id = (uint16_t)read_number(c, 2);
    count = read_number(c, 2);
    if (!count && !r->is_v9)
        return forget_template(r, t.id);         /* withdrawn */
    if (t.id < 256 || !count || !read_fields(r, c, &t, count))
        return false;
    keep_template(r, &t);
    return true;
}

/* Version 9 counts bytes of scope and options, IPFIX fields. */
static bool read_options_template(const struct reading *r, struct cursor *c)
{
    struct ipfix_template t = { .exporter = r->exporter, .domain = r->domain, .is_options = true };
    uint64_t              a, b, count;

    if (left(c) < 6)
        return false;
    t.id = (uint16_t)read_number(c, 2);
    a = read_number(c, 2);
    if (!a && !r->is_v9) {
        c->at += 2;
        return forget_template(r, t.id);
    }
    b = read_number(c, 2);
    count = r->is_v9 ? (a + b) / 4 : a;
    if (t.id < 256 || !count || !read_fields(r, c, &t, count))
        return false;
    for (uint64_t i = 0; r->is_v9 && i < a / 4; i++)
        t.field[i].enterprise = UINT32_MAX;      /* scopes of version 9 have numbers of their own */
    keep_template(r, &t);
    return true;
}

static bool read_templates(const struct reading *r, struct cursor c, bool is_options)
{
    while (left(&c) >= 4)
        if (!(is_options ? read_options_template(r, &c) : read_template(r, &c)))
            return left(&c) < 4 && record_number(c.at, left(&c)) == 0;       /* padding */
    return true;
}

/* ---- records ---- */

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

    if (length == VARIES && !r->is_v9) {
        if (left(c) < 1)
            return SIZE_MAX;
        length = (size_t)read_number(c, 1);
        if (length == 255) {
            if (left(c) < 2)
                return SIZE_MAX;
            length = (size_t)read_number(c, 2);
        }
    }
    return length <= left(c) ? length : SIZE_MAX;
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
    r->hook(r->arg, o);
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

/* ---- datagrams ---- */

static bool read_set(const struct reading *r, uint64_t id, struct cursor c)
{
    const struct ipfix_template *t;

    if (id == (r->is_v9 ? 0 : 2))
        return read_templates(r, c, false);
    if (id == (r->is_v9 ? 1 : 3))
        return read_templates(r, c, true);
    if (id < 256)
        return true;             /* reserved */
    t = find_template(r, (uint32_t)id);
    if (t)
        read_data(r, t, c);
    else
        ++*r->unknown;
    return true;
}

int ipfix_read(struct ipfix *x, uint64_t exporter, const uint8_t *bytes, size_t length,
               record_hook *hook, void *arg, uint64_t *unknown)
{
    struct reading r = { .x = x, .exporter = exporter, .hook = hook, .arg = arg, .unknown = unknown };
    struct cursor  c = { bytes, bytes + length };
    uint64_t       version = length >= 2 ? record_number(bytes, 2) : 0;

    r.is_v9 = version == VERSION_9;
    if ((!r.is_v9 && version != VERSION_IPFIX) || length < (r.is_v9 ? 20u : 16u))
        return -EBADMSG;
    if (!r.is_v9 && record_number(bytes + 2, 2) > length)
        return -EBADMSG;
    if (!r.is_v9)
        c.end = bytes + record_number(bytes + 2, 2);
    c.at += r.is_v9 ? 20 : 16;
    r.domain = (uint32_t)record_number(c.at - 4, 4);
    while (c.end > c.at && left(&c) >= 4) {
        uint64_t      id = read_number(&c, 2), size = read_number(&c, 2);
        struct cursor set = { c.at, c.at };

        if (size < 4 || size - 4 > left(&c))
            return -EBADMSG;
        set.end += size - 4;
        if (!read_set(&r, id, set))
            return -EBADMSG;
        c.at = set.end;
    }
    return 0;
}
