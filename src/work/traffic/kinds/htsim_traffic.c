/* src/work/traffic/kinds/htsim_traffic.c - the flows of an htsim connection matrix, which start at a time or
 * when a trigger fires.
 *
 * A flow fires a trigger when it has arrived or has been acknowledged. A trigger's only state is how often it
 * has fired, so the order of simultaneous events does not matter. Triggered flows start delay_ps later, on
 * any host.
 */
#include "work/traffic/kinds/htsim_traffic.h"

#include "base/text.h"
#include "core/units.h"
#include "work/net/measure.h"
#include "work/traffic/job.h"
#include "work/traffic/read.h"

#include <stdlib.h>

struct htsim_job {
    struct job            job;
    struct flow_matrix    matrix;
    struct matrix_waiting *waiting;  /* by trigger */
    uint32_t             *node;      /* by host number in the matrix */
    uint32_t             *fired;     /* [part * triggers + trigger]: times it has fired, as known there */
};

/* ---- starting flows ---- */

static void post_connection(struct htsim_job *cm, uint32_t conn, uint64_t at_ps)
{
    const struct matrix_conn *c = &cm->matrix.conn[conn];

    if (at_ps < cm->job.common.stop_ps)
        job_post(&cm->job, cm->job.worker_of[cm->node[c->src]], at_ps, cm->node[c->dst], c->bytes, conn);
}

/* Starts a waiting connection if its source is in this partition. */
static void start_connection(struct htsim_job *cm, uint32_t part, uint32_t conn, uint64_t now_ps)
{
    uint32_t worker = cm->job.worker_of[cm->node[cm->matrix.conn[conn].src]];

    if (job_part(&cm->job, worker) == part)
        post_connection(cm, conn, now_ps);
}

static void on_signal(struct job *j, uint32_t part, uint64_t now_ps, uint32_t worker, uint64_t trigger)
{
    struct htsim_job           *cm = (struct htsim_job *)j;
    const struct matrix_trigger *t = &cm->matrix.trigger[trigger];
    const struct matrix_waiting *w = &cm->waiting[trigger];
    uint32_t                    fired = ++cm->fired[(size_t)part * cm->matrix.triggers + trigger];

    (void)worker;
    if (t->kind == MATRIX_MULTISHOT) {
        if (fired <= w->count)
            start_connection(cm, part, w->conn[fired - 1], now_ps);
    } else if (fired == (t->kind == MATRIX_BARRIER ? t->count : 1)) {
        for (uint32_t i = 0; i < w->count; i++)
            start_connection(cm, part, w->conn[i], now_ps);
    }
}

static void divide(struct job *j, uint32_t parts)
{
    struct htsim_job *cm = (struct htsim_job *)j;

    free(cm->fired);
    cm->fired = xcalloc((size_t)parts * cm->matrix.triggers + 1, sizeof *cm->fired);
}

static void fire_trigger(struct htsim_job *cm, uint32_t trigger, uint32_t node, uint64_t now_ps)
{
    if (trigger != MATRIX_NO_TRIGGER)
        job_signal(&cm->job, cm->job.worker_of[node], now_ps, trigger);
}

static void on_arrival(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct htsim_job *cm = (struct htsim_job *)j;

    fire_trigger(cm, cm->matrix.conn[m->tag].recv_done, m->dst, now_ps);
}

static void on_sent(struct job *j, uint64_t now_ps, const struct message *m)
{
    struct htsim_job *cm = (struct htsim_job *)j;

    fire_trigger(cm, cm->matrix.conn[m->tag].send_done, m->src, now_ps);
}

static void free_cm(void *state)
{
    struct htsim_job *cm = state;

    flow_matrix_fini(&cm->matrix);
    free(cm->waiting);
    free(cm->fired);
    free(cm->node);
    free(cm);
}

extern const struct traffic_kind traffic_htsim;

/* ---- building ---- */

/* Adds a worker on each host that sends or receives. */
static void add_workers(struct htsim_job *cm, struct traffic *t, const struct traffic_common *common)
{
    uint32_t *sender = xcalloc(cm->matrix.nodes + 1ul, sizeof *sender), senders = 0;
    bool     *sends = xcalloc(cm->matrix.nodes + 1ul, sizeof *sends);

    for (uint32_t i = 0; i < cm->matrix.conns; i++)
        sends[cm->matrix.conn[i].src] = sends[cm->matrix.conn[i].dst] = true;
    for (uint32_t i = 0; i < cm->matrix.nodes; i++)
        if (sends[i])
            sender[senders++] = cm->node[i];
    job_init(&cm->job, &traffic_htsim, t, common, sender, senders);
    free(sends);
    free(sender);
}

struct timed { uint64_t at_ps; uint32_t conn; };

static int by_time(const void *a_, const void *b_)
{
    const struct timed *a = a_, *b = b_;

    if (a->at_ps != b->at_ps)
        return a->at_ps < b->at_ps ? -1 : 1;
    return a->conn < b->conn ? -1 : a->conn > b->conn;
}

void traffic_add_matrix(struct traffic *t, const struct traffic_common *common, struct flow_matrix *matrix,
                        uint64_t delay_ps)
{
    struct htsim_job *cm = xcalloc(1, sizeof *cm);

    cm->matrix = *matrix;
    *matrix = (struct flow_matrix){ 0 };
    cm->node = graph_list_hosts(t->graph);
    add_workers(cm, t, common);
    cm->job.signal_ps = delay_ps;
    divide(&cm->job, 1);
    job_reserve(&cm->job, cm->matrix.conns);
    cm->waiting = flow_matrix_waiting(&cm->matrix);
    /* Posts in order of time, which is fastest for the heap. */
    const struct flow_matrix *m = &cm->matrix;
    struct timed          *timed = xcalloc(m->conns + 1ul, sizeof *timed);
    uint32_t               count = 0;
    for (uint32_t i = 0; i < m->conns; i++)
        if (m->conn[i].trigger == MATRIX_NO_TRIGGER && m->conn[i].start_ps < NEVER - cm->job.common.start_ps)
            timed[count++] = (struct timed){ cm->job.common.start_ps + m->conn[i].start_ps, i };
    qsort(timed, count, sizeof *timed, by_time);
    for (uint32_t i = 0; i < count; i++)
        post_connection(cm, timed[i].conn, timed[i].at_ps);
    free(timed);
}

/* ---- reading ---- */

static uint32_t count_sources(const struct flow_matrix *cm)
{
    bool    *is_source = xcalloc(cm->nodes, sizeof *is_source);
    uint32_t count = 0;

    for (uint32_t i = 0; i < cm->conns; i++) {
        count += !is_source[cm->conn[i].src];
        is_source[cm->conn[i].src] = true;
    }
    free(is_source);
    return count;
}

/* A host affects another one after a link delay at the earliest. */
static void read_delay(const struct entry *e, uint64_t *delay_ps)
{
    uint64_t least_ps = graph_delay_ps_min(e->graph);
    char     text[32];

    *delay_ps = least_ps;
    section_time(&e->sec, "delay", delay_ps);
    if (!e->r->rc && *delay_ps < least_ps)
        section_refuse(&e->sec, "delay", "'delay' must be %s or more, the shortest delay of a link",
                       text_from_time(text, sizeof text, least_ps));
}

static void htsim_read(struct entry *e)
{
    const struct yaml_node *node = section_get(&e->sec, "file");
    char                   *path = section_file(&e->sec, "file");
    struct flow_matrix      cm = { 0 };
    uint64_t                delay_ps;
    struct err              why;

    read_delay(e, &delay_ps);
    if (path && !e->r->rc)
        reader_keep(e->r, e->env->read_matrix(path, NULL, &cm, &why), &why, node);
    free(path);
    if (!e->r->rc && cm.nodes > e->graph->hosts)
        reader_refuse(e->r, node, "the connections are for %u hosts, but the network has %u", cm.nodes,
                      e->graph->hosts);
    if (!e->r->rc) {
        e->about->hosts = count_sources(&cm);
        traffic_add_matrix(e->traffic, &e->common, &cm, delay_ps);
    }
    flow_matrix_fini(&cm);
}

static const struct key_row keys[] = {
    { "file",  KEY_FILE, "", "the connection matrix (.cm)" },
    { "delay", KEY_TIME, "", "delay of a trigger; default: the shortest link delay" },
    { 0 },
};

const struct traffic_kind traffic_htsim = {
    .name = "htsim", .about = "the connections of an htsim matrix (.cm), with its triggers",
    .keys = keys, .read = htsim_read, .free = free_cm,
    .on_arrival = on_arrival, .on_sent = on_sent, .on_signal = on_signal, .divide = divide,
};
