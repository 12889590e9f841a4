#include "live/driver/rdma_stat.h"

#include <errno.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#define NAME_SIZE 64

/* ---- questions ---- */

static size_t begin(unsigned char *q, int op, uint32_t sequence)
{
    struct nlmsghdr head = { .nlmsg_len = sizeof head,
                             .nlmsg_type = (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op),
                             .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = sequence };

    memset(q, 0, RDMA_STAT_QUESTION_MAX);
    memcpy(q, &head, sizeof head);
    return sizeof head;
}

static size_t add_number(unsigned char *q, size_t at, uint16_t type, uint32_t value)
{
    struct nlattr a = { .nla_len = sizeof a + sizeof value, .nla_type = type };
    uint32_t      length = (uint32_t)(at + a.nla_len);

    memcpy(q + at, &a, sizeof a);
    memcpy(q + at + sizeof a, &value, sizeof value);
    memcpy(q, &length, sizeof length);           /* nlmsg_len comes first */
    return length;
}

size_t rdma_stat_ask_devices(unsigned char question[RDMA_STAT_QUESTION_MAX], uint32_t sequence)
{
    return begin(question, RDMA_NLDEV_CMD_GET, sequence);
}

size_t rdma_stat_ask(unsigned char question[RDMA_STAT_QUESTION_MAX], uint32_t device, uint32_t sequence)
{
    size_t at = begin(question, RDMA_NLDEV_CMD_STAT_GET, sequence);

    at = add_number(question, at, RDMA_NLDEV_ATTR_DEV_INDEX, device);
    return add_number(question, at, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
}

/* ---- attributes ---- */

struct part { const unsigned char *bytes; size_t length; };
typedef int attribute_visit(void *arg, uint16_t type, struct part value);

/* Visits each attribute. The first visit that does not return 0 ends it. */
static int each(struct part p, attribute_visit *visit, void *arg)
{
    struct nlattr a;
    size_t        step;
    int           rc;

    while (p.length >= sizeof a) {
        memcpy(&a, p.bytes, sizeof a);
        if (a.nla_len < sizeof a || a.nla_len > p.length)
            return -EBADMSG;
        rc = visit(arg, a.nla_type & NLA_TYPE_MASK,
                   (struct part){ p.bytes + sizeof a, a.nla_len - sizeof a });
        if (rc)
            return rc;
        step = NLA_ALIGN(a.nla_len);
        step = step < p.length ? step : p.length;
        p.bytes += step;
        p.length -= step;
    }
    return p.length ? -EBADMSG : 0;
}

/* A number of exactly this width. */
static int number(struct part p, void *value, size_t size)
{
    if (p.length != size)
        return -EBADMSG;
    memcpy(value, p.bytes, size);
    return 0;
}

static bool is_text(struct part p, const char *text)
{
    return p.length == strlen(text) + 1 && memcmp(p.bytes, text, p.length) == 0;
}

/* ---- counter sets ---- */

struct hardware_counter { bool is_tx_bytes, has_value; uint64_t value; };

static int take_hardware_part(void *arg, uint16_t type, struct part p)
{
    struct hardware_counter *h = arg;

    if (type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME)
        h->is_tx_bytes = is_text(p, "rdma_tx_bytes");
    if (type != RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE)
        return 0;
    h->has_value = true;
    return number(p, &h->value, sizeof h->value);
}

static int take_hardware(void *arg, uint16_t type, struct part p)
{
    struct rdma_stat       *s = arg;
    struct hardware_counter h = { 0 };
    int                     rc = type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY ?
                                 each(p, take_hardware_part, &h) : 0;

    if (!rc && h.is_tx_bytes && h.has_value) {
        s->has_bytes = true;
        s->tx_bytes = h.value;
    }
    return rc;
}

static int take_qpn(void *arg, uint16_t type, struct part p)
{
    struct rdma_stat *s = arg;
    uint32_t          qpn;
    int               rc = type == RDMA_NLDEV_ATTR_RES_LQPN ? number(p, &qpn, sizeof qpn) : 1;

    if (!rc && s->qps++ == 0)
        s->qpn = qpn;
    return rc < 0 ? rc : 0;
}

static int take_qp(void *arg, uint16_t type, struct part p)
{
    return type == RDMA_NLDEV_ATTR_RES_QP_ENTRY ? each(p, take_qpn, arg) : 0;
}

static int take_set_part(void *arg, uint16_t type, struct part p)
{
    struct rdma_stat *s = arg;

    switch (type) {
    case RDMA_NLDEV_ATTR_PORT_INDEX:      return number(p, &s->port, sizeof s->port);
    case RDMA_NLDEV_ATTR_STAT_COUNTER_ID: return number(p, &s->id, sizeof s->id);
    case RDMA_NLDEV_ATTR_RES_QP:          return each(p, take_qp, s);
    case RDMA_NLDEV_ATTR_STAT_HWCOUNTERS: return each(p, take_hardware, s);
    default:                              return 0;
    }
}

struct answer { rdma_stat_visit *visit; rdma_stat_device *device; void *arg; uint32_t index;
                char name[NAME_SIZE]; bool has_index; };

static int take_set(void *arg, uint16_t type, struct part p)
{
    struct answer   *a = arg;
    struct rdma_stat s = { 0 };
    int              rc = type == RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY ? each(p, take_set_part, &s) : 1;

    if (!rc)
        a->visit(a->arg, &s);
    return rc < 0 ? rc : 0;
}

static int take_sets(void *arg, uint16_t type, struct part p)
{
    return type == RDMA_NLDEV_ATTR_STAT_COUNTER ? each(p, take_set, arg) : 0;
}

static int take_device_part(void *arg, uint16_t type, struct part p)
{
    struct answer *a = arg;

    if (type == RDMA_NLDEV_ATTR_DEV_INDEX) {
        a->has_index = true;
        return number(p, &a->index, sizeof a->index);
    }
    if (type != RDMA_NLDEV_ATTR_DEV_NAME)
        return 0;
    if (!p.length || p.length > sizeof a->name || p.bytes[p.length - 1])
        return -EBADMSG;
    memcpy(a->name, p.bytes, p.length);
    return 0;
}

static int take_device(struct answer *a, struct part p)
{
    int rc;

    a->has_index = false;
    a->name[0] = '\0';
    rc = each(p, take_device_part, a);
    if (!rc && a->device && a->has_index && *a->name)
        a->device(a->arg, a->index, a->name);
    return rc;
}

/* ---- messages ---- */

/* The end of a dump, or an error, carries an errno of the kernel, or 0. */
static int end_of(struct part p)
{
    int32_t code = 0;

    if (p.length < sizeof code)
        return 0;
    memcpy(&code, p.bytes, sizeof code);
    return code < 0 && code > -4096 ? code : code ? -EBADMSG : 0;
}

static int read_all(const unsigned char *bytes, size_t length, uint32_t sequence, int op, struct answer *a)
{
    struct nlmsghdr head;
    size_t          step;
    int             rc = 0;

    while (length >= sizeof head && rc >= 0) {
        struct part body = { bytes + sizeof head, 0 };

        memcpy(&head, bytes, sizeof head);
        if (head.nlmsg_len < sizeof head || head.nlmsg_len > length)
            return -EBADMSG;
        body.length = head.nlmsg_len - sizeof head;
        if (head.nlmsg_seq == sequence && (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR))
            return end_of(body);
        if (head.nlmsg_seq == sequence && head.nlmsg_type == RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op))
            rc = a->visit ? each(body, take_sets, a) : take_device(a, body);
        step = NLMSG_ALIGN(head.nlmsg_len);
        step = step < length ? step : length;
        bytes += step;
        length -= step;
    }
    return rc < 0 ? rc : length ? -EBADMSG : 1;
}

int rdma_stat_read_devices(const unsigned char *bytes, size_t length, uint32_t sequence,
                           rdma_stat_device *device, void *arg)
{
    return read_all(bytes, length, sequence, RDMA_NLDEV_CMD_GET,
                    &(struct answer){ .device = device, .arg = arg });
}

int rdma_stat_read(const unsigned char *bytes, size_t length, uint32_t sequence,
                   rdma_stat_visit *visit, void *arg)
{
    return read_all(bytes, length, sequence, RDMA_NLDEV_CMD_STAT_GET,
                    &(struct answer){ .visit = visit, .arg = arg });
}
