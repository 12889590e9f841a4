/* src/traffic/kinds/tcp.c - flows of TCP: how they are sent. Who sends what is as in poisson or incast. */
#include "core/units.h"
#include "traffic/kind.h"
#include "traffic/read.h"
#include "traffic/traffic.h"

#define MSS_BYTES_MIN   64
#define MSS_BYTES_MAX   9000
#define BURST_BYTES_MAX (1u << 20)
#define RTO_PS_MIN      (10 * PS_PER_US)

extern const struct traffic_kind traffic_incast, traffic_poisson, traffic_tcp;

static uint32_t read_algorithm(const struct entry *e)
{
    const struct traffic_tcp_algorithm *algo = e->env->tcp;
    const char                         *names[16] = { NULL };
    int                                 chosen;

    for (int i = 0; algo[i].name && i < 15; i++)
        names[i] = algo[i].name;
    chosen = section_choice(&e->sec, "algorithm", "an algorithm of TCP", names);
    return chosen < 0 ? 0 : (uint32_t)chosen;
}

static void read_ecn(const struct entry *e, struct traffic_tcp *cfg)
{
    const struct traffic_tcp_algorithm *algo = &e->env->tcp[cfg->algorithm];

    cfg->is_ecn = algo->needs_ecn;
    if (!section_get(&e->sec, "ecn"))
        return;
    section_bool(&e->sec, "ecn", &cfg->is_ecn);
    if (!e->r->rc && algo->needs_ecn && !cfg->is_ecn)
        reader_refuse(e->r, section_get(&e->sec, "ecn"), "%s cannot do without ECN", algo->name);
}

static void read_cfg(const struct entry *e, struct traffic_tcp *cfg)
{
    uint64_t mss = 0, burst = 0;

    cfg->algorithm = read_algorithm(e);
    read_ecn(e, cfg);
    section_bytes(&e->sec, "mss", MSS_BYTES_MIN, MSS_BYTES_MAX, &mss);
    section_bytes(&e->sec, "burst", 1, BURST_BYTES_MAX, &burst);
    section_time(&e->sec, "min_rto", &cfg->rto_ps_min);
    section_time(&e->sec, "wake", &cfg->wake_ps_max);
    if (!e->r->rc && cfg->rto_ps_min < RTO_PS_MIN)
        reader_refuse(e->r, section_get(&e->sec, "min_rto"), "'min_rto' must be 10us or more");
    cfg->mss_bytes = (uint32_t)mss;
    cfg->burst_bytes = (uint32_t)burst;
}

static void refuse_keys(const struct entry *e, const char *const *keys, const char *beside)
{
    for (; *keys; keys++)
        if (section_get(&e->sec, *keys))
            reader_refuse_key(e->r, section_get(&e->sec, *keys),
                              "'%s' beside '%s': flows come either at a load ('sizes', 'load', 'of', 'hosts') "
                              "or from 'senders' ('receiver', 'size', 'flows', 'period')", *keys, beside);
}

static void tcp_read(struct entry *e)
{
    static const char *const of_load[] = { "load", "of", "hosts", NULL };
    static const char *const of_senders[] = { "senders", "receiver", "size", "flows", "period", NULL };
    bool                     at_load = section_get(&e->sec, "sizes");
    struct traffic_tcp       cfg = { 0 };
    uint8_t                  number;

    if (!e->env->tcp) {
        reader_refuse(e->r, e->sec.map, "there is no tcp in this model");
        return;
    }
    read_cfg(e, &cfg);
    refuse_keys(e, at_load ? of_senders : of_load, at_load ? "sizes" : "senders");
    if (e->r->rc)
        return;
    number = traffic_add_tcp(e->traffic, &cfg);
    if (!number)
        reader_refuse(e->r, e->sec.map, "more than %d different settings of tcp", TRAFFIC_TCPS_MAX);
    else
        (at_load ? &traffic_poisson : &traffic_incast)->read(e);
    if (!e->r->rc)
        traffic_use_tcp(e->traffic, number);
}

static const struct section_key keys[] = {
    { "prio",      "count",  "1",     "class of its packets, 0 .. 7" },
    { "algorithm", "name",   "cubic", "of the window: `newreno`, `cubic` or `dctcp`" },
    { "ecn",       "yes/no", "",      "ECN; default: yes for dctcp, which needs it, no for others" },
    { "mss",       "bytes",  "1448",  "payload of a full packet, 64 .. 9000; headers of 70 come on top" },
    { "burst",     "bytes",  "64KB",  "most that a flow sends back to back, as with segmentation offload" },
    { "min_rto",   "time",   "1ms",   "minimum time-out. Linux has 200ms, for the Internet" },
    { "wake",      "time",   "2us",   "largest reaction time to an ACK (random); 0: none" },
    { "senders",   "list",   "",      "which; a count: the first that are not the receiver" },
    { "receiver",  "name",   "",      "default: the last host" },
    { "size",      "bytes",  "",      "of each flow" },
    { "flows",     "count",  "1",     "of each sender, at once" },
    { "period",    "time",   "0",     "time between bursts; 0: one burst" },
    { "sizes",     "name",   "",      "instead of `senders`, as for poisson, with the load below" },
    { "load",      "share",  "0.3",   "as for poisson" },
    { "of",        "name",   "hosts", "as for poisson" },
    { "hosts",     "list",   "",      "as for poisson" },
    { 0 },
};

/* Its entries are those of the kinds that it reads them with. */
const struct traffic_kind traffic_tcp = {
    .name = "tcp", .about = "TCP in a class of its own, at a load or from some senders to one receiver",
    .keys = keys, .read = tcp_read,
};
