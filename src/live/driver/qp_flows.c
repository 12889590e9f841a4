#include "live/driver/qp_flows.h"
#include "base/err.h"
#include "core/meter/monitor/flowstate.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_MAX  65536        /* bytes of a datagram: a dump has as many as it needs */
#define FLOWS_MAX   4096         /* counter sets */
#define SILENT_MAX  3            /* readings without bytes; bytes after that are a new flow */
#define DEVICE_NONE UINT32_MAX
#define PATH_SIZE   512
#define DEVICE_SIZE 64

/* ---- questions and answers ---- */

static size_t begin_question(unsigned char *q, int op, uint32_t sequence)
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
    return begin_question(question, RDMA_NLDEV_CMD_GET, sequence);
}

size_t rdma_stat_ask(unsigned char question[RDMA_STAT_QUESTION_MAX], uint32_t device, uint32_t sequence)
{
    size_t at = begin_question(question, RDMA_NLDEV_CMD_STAT_GET, sequence);

    at = add_number(question, at, RDMA_NLDEV_ATTR_DEV_INDEX, device);
    return add_number(question, at, RDMA_NLDEV_ATTR_STAT_RES, RDMA_NLDEV_ATTR_RES_QP);
}

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
                char name[DEVICE_SIZE]; bool has_index; };

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
    a->has_index = false;
    a->name[0] = '\0';
    int rc = each(p, take_device_part, a);
    if (!rc && a->device && a->has_index && *a->name)
        a->device(a->arg, a->index, a->name);
    return rc;
}

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

/* ---- flows ---- */

struct flow { uint32_t port, id, qpn; uint64_t tx_bytes; struct flowstate state; uint8_t silent;
              bool is_seen; };

struct qp_flows {
    char                 path[PATH_SIZE];        /* of the stand-in; "": the kernel */
    char                 device[DEVICE_SIZE];
    uint32_t             index;                  /* of the device */
    int                  fd;
    uint32_t             sequence;
    struct flowstate_cfg states;
    struct flow         *flow;                   /* in the order of the kernel's answers, which stays */
    uint32_t             flows, at;              /* at: where the next one is looked for first */
    struct flow_tally    tally;                  /* of this reading */
    bool                 has_bytes, was_read;
    unsigned char       *answer;
};

struct qp_flows *qp_flows_new(const char *root, const char *device)
{
    struct qp_flows *q = xcalloc(1, sizeof *q);
    /* a dump of a host with many queue pairs may take long, and the agent must not wait for it */
    struct timeval   patience = { .tv_sec = 1 };

    q->fd = -1;
    q->index = DEVICE_NONE;
    q->states = flowstate_configure((struct flowstate_cfg){ .with_bins = 1 });
    q->flow = xcalloc(FLOWS_MAX, sizeof *q->flow);
    q->answer = xmalloc(ANSWER_MAX);
    snprintf(q->device, sizeof q->device, "%s", device);
    if (strcmp(root, "/") != 0) {
        snprintf(q->path, sizeof q->path, "%s/rdma/%s", root, device);
        return q;
    }
    q->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
    if (q->fd >= 0)
        setsockopt(q->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return q;
}

void qp_flows_free(struct qp_flows *q)
{
    if (!q)
        return;
    if (q->fd >= 0)
        close(q->fd);
    free(q->flow);
    free(q->answer);
    free(q);
}

/* NULL: there is no room. A counter set that was assigned to another queue pair is another flow. */
static struct flow *flow_of(struct qp_flows *q, const struct rdma_stat *s)
{
    for (uint32_t i = 0; i < q->flows; i++) {
        struct flow *f = &q->flow[(q->at + i) % q->flows];

        if (f->port == s->port && f->id == s->id && f->qpn == s->qpn) {
            q->at = (uint32_t)(f - q->flow) + 1;
            return f;
        }
    }
    if (q->flows == FLOWS_MAX)
        return NULL;
    q->flow[q->flows] = (struct flow){ .port = s->port, .id = s->id, .qpn = s->qpn,
                                       /* bytes before the first reading do not count */
                                       .tx_bytes = q->was_read ? 0 : s->tx_bytes };
    return &q->flow[q->flows++];
}

static void add_counter(void *arg, const struct rdma_stat *s)
{
    struct qp_flows *q = arg;
    struct flow     *f = s->has_bytes && s->qps ? flow_of(q, s) : NULL;

    if (!f)
        return;
    q->has_bytes = true;
    /* the counter decreased: it was reset */
    uint64_t sent = s->tx_bytes >= f->tx_bytes ? s->tx_bytes - f->tx_bytes : s->tx_bytes;
    f->tx_bytes = s->tx_bytes;
    f->is_seen = true;
    f->silent = (uint8_t)(sent ? 0 : f->silent + (f->silent < SILENT_MAX));
    if (f->silent == SILENT_MAX)
        f->state = (struct flowstate){ 0 };
    flow_tally_add(&q->states, &q->tally, flowstate_step(&q->states, &f->state, sent), f->state);
}

static void forget_unseen(struct qp_flows *q)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < q->flows; i++)
        if (q->flow[i].is_seen) {
            q->flow[kept] = q->flow[i];
            q->flow[kept++].is_seen = false;
        }
    q->flows = kept;
    q->at = 0;
}

/* ---- sources ---- */

static int from_file(struct qp_flows *q)
{
    int     fd = open(q->path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -errno;
    ssize_t length = read(fd, q->answer, ANSWER_MAX);
    close(fd);
    return length < 0 ? -EIO : rdma_stat_read(q->answer, (size_t)length, 0, add_counter, q);
}

/* Accepts messages from the kernel only. */
static ssize_t receive(struct qp_flows *q)
{
    struct sockaddr_nl from = { 0 };
    socklen_t          size = sizeof from;
    ssize_t            length = recvfrom(q->fd, q->answer, ANSWER_MAX, 0, (struct sockaddr *)&from, &size);

    return length < 0 ? -errno : from.nl_pid ? 0 : length;
}

static void take_index(void *arg, uint32_t index, const char *name)
{
    struct qp_flows *q = arg;

    if (strcmp(name, q->device) == 0)
        q->index = index;
}

static int ask(struct qp_flows *q, bool is_devices)
{
    unsigned char      question[RDMA_STAT_QUESTION_MAX];
    size_t             length = is_devices ? rdma_stat_ask_devices(question, ++q->sequence) :
                                rdma_stat_ask(question, q->index, ++q->sequence);
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    ssize_t            n = sendto(q->fd, question, length, 0, (const struct sockaddr *)&kernel,
                                  sizeof kernel);
    int                rc = n < 0 ? -errno : 1;

    while (rc == 1) {
        n = receive(q);
        rc = n < 0 ? (int)n :
             is_devices ? rdma_stat_read_devices(q->answer, (size_t)n, q->sequence, take_index, q) :
             rdma_stat_read(q->answer, (size_t)n, q->sequence, add_counter, q);
    }
    return rc;
}

static int from_kernel(struct qp_flows *q)
{
    int rc = q->fd < 0 ? -EPROTONOSUPPORT : q->index == DEVICE_NONE ? ask(q, true) : 0;

    return rc ? rc : q->index == DEVICE_NONE ? -ENODEV : ask(q, false);
}

bool qp_flows_read(struct qp_flows *q, struct fsd *fsd)
{
    bool was_read = q->was_read;

    q->tally = (struct flow_tally){ 0 };
    q->has_bytes = false;
    if (*q->path ? from_file(q) : from_kernel(q)) {
        q->was_read = false;     /* incomplete answer: missing entries would look silent */
        q->flows = 0;
        return false;
    }
    forget_unseen(q);
    q->was_read = true;
    if (!was_read || !q->has_bytes)
        return false;
    flow_tally_write(&q->states, &q->tally, fsd);
    return true;
}
