#include "standin/fabric/hardware.h"
#include "core/queue.h"
#include "core/units.h"
#include "live/core/knobset.h"
#include "standin/fabric/fabric.h"

#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNTERS_DB 2
#define QUEUE       3
#define QUEUE_OID   "oid:0x150000000%05x"
#define PORT_OID    "oid:0x10000000%05x"

struct totals { uint64_t bytes, marked, paused_us; };    /* of a port, since the beginning */

struct node {
    char            name[MSG_NAME_SIZE];
    const struct driver *driver;
    void           *device;
    enum knob_where where;
    struct msg_facts facts;
    const struct driver *real;   /* of an agent, and its device behind the stand-in; NULL: not open yet */
    void           *real_device;
    redisContext   *redis;       /* switches */
    struct totals   total[MSG_PORTS_MAX];
};

struct hardware {
    struct fabric *fabric;
    struct driver driver;
    char         folder[256];
    struct node *node;
    uint32_t     nodes;
    uint64_t     interval_us;    /* real */
    double       slower;
};

/* ---- NICs ---- */

/* Sends a command of the form "VERB NUMBER", or whatever the format says. */
static int put(const struct hardware *h, const struct node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int put(const struct hardware *h, const struct node *n, const char *format, ...)
{
    char    path[512], text[96];
    va_list args;

    snprintf(path, sizeof path, "%s/%s/.nic/control", h->folder, n->name);
    int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        rc = -errno;
    if (fd >= 0)
        close(fd);
    return rc;
}

static int begin_nic(const struct hardware *h, const struct node *n)
{
    struct knob_set set;
    int             rc = n->driver->read(n->device, &set);

    for (int i = 0; i < KNOB_COUNT && !rc; i++)
        if (set.is_named[i])
            rc = put(h, n, "set %s %.0f", knob_info[i].name, set.knobs.value[i]);
    return rc;
}

static int show_nic(const struct hardware *h, const struct node *n, const struct msg_sample *s)
{
    uint64_t paused_us = (uint64_t)(s->paused * (double)h->interval_us);
    int      rc = put(h, n, "feed %" PRIu64 " %" PRIu64, s->tx_bytes, h->interval_us);

    if (!rc && paused_us)
        rc = put(h, n, "pause %" PRIu64, paused_us);
    if (!rc && s->lossless_drops)
        rc = put(h, n, "discard %" PRIu64, s->lossless_drops);
    return rc;
}

/* ---- switches ---- */

/* As syncd's flex counters do. One trip for all ports. */
static int show_switch(const struct hardware *h, struct node *n, const struct msg_sample *s)
{
    int   sent = 1, rc = 0;
    void *reply;

    redisAppendCommand(n->redis, "SELECT %d", COUNTERS_DB);
    for (uint32_t i = 0; i < s->detail->ports; i++, sent += 2) {
        struct totals *t = &n->total[i];

        const struct msg_port *p = &s->detail->port[i];
        t->bytes += p->tx_bytes;
        t->marked += p->marked_packets;
        t->paused_us += (uint64_t)((double)p->paused_ps / (double)PS_PER_US * h->slower);
        redisAppendCommand(n->redis, "HSET COUNTERS:" QUEUE_OID " SAI_QUEUE_STAT_BYTES %" PRIu64
                           " SAI_QUEUE_STAT_DROPPED_PACKETS 0 "
                           "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS %" PRIu64
                           " SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES %" PRIu64, i, t->bytes, t->marked,
                           s->detail->port[i].queue_bytes);
        redisAppendCommand(n->redis, "HSET COUNTERS:" PORT_OID
                           " SAI_PORT_STAT_PFC_%d_RX_PAUSE_DURATION_US %" PRIu64, i, QUEUE, t->paused_us);
    }
    for (; sent && !rc; sent--) {
        rc = redisGetReply(n->redis, &reply) == REDIS_OK ? 0 : -EIO;
        if (!rc)
            freeReplyObject(reply);
    }
    return rc;
}

static int begin_switch(const struct hardware *h, struct node *n)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s/var/run/redis/redis.sock", h->folder, n->name);
    n->redis = redisConnectUnix(path);
    return n->redis && !n->redis->err ? 0 : -EIO;
}

/* ---- all of them ---- */

static int complain(const struct node *n, int rc, struct err *err)
{
    return rc ? err_set(err, -rc, "the stand-in for %s does not answer: %s", n->name, strerror(-rc)) : 0;
}

/* Opens the device as an agent does. */
static int open_real(const struct hardware *h, struct node *n, struct err *err)
{
    char root[512], name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];

    n->real = n->where == KNOB_SWITCH ? &driver_sonic : &driver_mlx5;
    snprintf(root, sizeof root, "%s/%s", h->folder, n->name);
    int rc = n->real->find(n->real, root, name, err);
    return rc < 0 ? rc : n->real->open(n->real, &n->real_device, root, name[0], err);
}

int hardware_connect(struct hardware *h, struct err *err)
{
    int rc = 0;

    for (struct node *n = h->node; n < h->node + h->nodes && !rc; n++) {
        rc = complain(n, n->where == KNOB_SWITCH ? begin_switch(h, n) : begin_nic(h, n), err);
        rc = rc ? rc : open_real(h, n, err);
    }
    return rc;
}

static int show(const struct hardware *h, struct node *n)
{
    struct msg_sample s;

    if (n->driver->sample(n->device, &s))
        return 0;                /* nothing has passed */
    return n->where == KNOB_SWITCH ? show_switch(h, n, &s) : show_nic(h, n, &s);
}

/* Gives the simulated device what its stand-in holds. One that is being programmed, or refuses to be read,
 * keeps its setting. */
static int apply_setting(struct node *n)
{
    struct knob_set held, is;

    if (n->real->read(n->real_device, &held))
        return 0;
    n->driver->read(n->device, &is);
    held = knobset_changed(&held, &is);
    return knobset_is_empty(&held) ? 0 : n->driver->write(n->device, &held);
}

int hardware_step(struct hardware *h, struct err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < h->nodes && !rc; i++)
        rc = complain(&h->node[i], apply_setting(&h->node[i]), err);
    if (!rc)
        fabric_advance(h->fabric);
    for (uint32_t i = 0; i < h->nodes && !rc; i++)
        rc = complain(&h->node[i], show(h, &h->node[i]), err);
    return rc;
}

const char *hardware_folder(const struct hardware *h)
{
    return h->folder;
}

bool hardware_device(const struct hardware *h, uint32_t i, struct hardware_device *out)
{
    struct knob_set    set;
    struct knobs       all = { 0 };
    const struct node *n = &h->node[i];

    if (i >= h->nodes)
        return false;
    n->driver->read(n->device, &set);
    knobs_apply(&all, &set);
    struct ecn e = ecn_of_knobs(&all);
    *out = (struct hardware_device){
        .name = n->name, .is_switch = n->where == KNOB_SWITCH, .ports = n->facts.ports,
        .mbps = (uint32_t)fmax(1, (double)n->facts.rate_bps / 1e6 / h->slower), .kmin_bytes = e.kmin_bytes,
        .kmax_bytes = e.kmax_bytes, .pmax_percent = (uint32_t)nearbyint(e.pmax * 100),
    };
    return true;
}

static int open_nodes(struct hardware *h, const char *scenario, struct err *err)
{
    char name[DRIVER_DEVICES_MAX][MSG_NAME_SIZE];
    int  count = h->driver.find(&h->driver, scenario, name, err), rc = count < 0 ? count : 0;

    for (int i = 0; i < count && !rc; i++) {
        struct node *n = &h->node[i];

        *n = (struct node){ .driver = &h->driver };
        memcpy(n->name, name[i], sizeof n->name);
        rc = h->driver.open(&h->driver, &n->device, scenario, n->name, err);
        if (!rc) {
            n->where = h->driver.facts(n->device, &n->facts);
            h->nodes++;
        }
    }
    return rc;
}

int hardware_open(struct hardware **out, const char *scenario, const char *folder, uint64_t interval_us,
                  struct err *err)
{
    struct hardware    *h = xcalloc(1, sizeof *h);
    struct fabric_about about;
    int                 rc = fabric_describe(&about, scenario, err);

    *out = NULL;
    snprintf(h->folder, sizeof h->folder, "%s", folder);
    h->node = xcalloc(DRIVER_DEVICES_MAX, sizeof *h->node);
    h->interval_us = interval_us;
    rc = rc ? rc : fabric_new(&h->fabric, scenario, err);
    if (!rc) {
        h->slower = (double)interval_us / (double)about.interval_us;
        h->driver = fabric_driver(h->fabric);
        rc = open_nodes(h, scenario, err);
    }
    if (rc) {
        hardware_free(h);
        return rc;
    }
    fabric_hold(h->fabric);
    *out = h;
    return 0;
}

void hardware_free(struct hardware *h)
{
    if (!h)
        return;
    for (uint32_t i = 0; i < h->nodes; i++) {
        if (h->node[i].redis)
            redisFree(h->node[i].redis);
        if (h->node[i].real_device)
            h->node[i].real->close(h->node[i].real_device);
        h->driver.close(h->node[i].device);
    }
    fabric_free(h->fabric);
    free(h->node);
    free(h);
}
