#include "live/driver/qp_flows.h"
#include "base/err.h"
#include "meter/monitor/flowstate.h"

#include <fcntl.h>
#include <linux/netlink.h>
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

struct flow { uint32_t port, id, qpn; uint64_t tx_bytes; struct flowstate state; uint8_t silent;
              bool is_seen; };

struct qp_flows {
    char                 path[PATH_SIZE];        /* of the stand-in; "": the kernel */
    char                 device[64];
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

/* ---- flows ---- */

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
    uint64_t         sent;

    if (!f)
        return;
    q->has_bytes = true;
    /* the counter decreased: it was reset */
    sent = s->tx_bytes >= f->tx_bytes ? s->tx_bytes - f->tx_bytes : s->tx_bytes;
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
    ssize_t length;

    if (fd < 0)
        return -errno;
    length = read(fd, q->answer, ANSWER_MAX);
    close(fd);
    return length < 0 ? -EIO : rdma_stat_read(q->answer, (size_t)length, 0, add_counter, q);
}

static ssize_t send_question(struct qp_flows *q, const unsigned char *question, size_t length)
{
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

    return sendto(q->fd, question, length, 0, (const struct sockaddr *)&kernel, sizeof kernel);
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
    unsigned char question[RDMA_STAT_QUESTION_MAX];
    size_t        length = is_devices ? rdma_stat_ask_devices(question, ++q->sequence) :
                           rdma_stat_ask(question, q->index, ++q->sequence);
    ssize_t       n;
    int           rc = send_question(q, question, length) < 0 ? -errno : 1;

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
