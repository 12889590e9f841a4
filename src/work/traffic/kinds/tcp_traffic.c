/* src/work/traffic/kinds/tcp_traffic.c - TCP flows: their transport settings. Senders and sizes are as in
 * poisson or incast. */
#include "core/units.h"
#include "work/traffic/kind.h"
#include "work/traffic/read.h"
#include "work/traffic/traffic.h"

#define MSS_BYTES_MIN   64
#define MSS_BYTES_MAX   9000
#define BURST_BYTES_MAX (1u << 20)
#define RTO_PS_MIN      (10 * PS_PER_US)

extern const struct traffic_kind traffic_incast, traffic_poisson, traffic_tcp;

static const struct key_row keys[] = {
    { "prio",      KEY_COUNT, "1",     "class of its packets, 0 .. 7" },
    { "algorithm", KEY_NAME, "cubic", "of the window: `newreno`, `cubic` or `dctcp`" },
    { "ecn",       KEY_YES,  "",      "ECN; default: yes for dctcp, which needs it, no for others",
      KEY_AT(struct traffic_tcp, is_ecn) },
    { "mss",       KEY_BYTES, "1448",  "payload of a full packet, 64 .. 9000; headers of 70 come on top",
      KEY_AT(struct traffic_tcp, mss_bytes), MSS_BYTES_MIN, MSS_BYTES_MAX },
    { "burst",     KEY_BYTES, "64KB",  "most that a flow sends back to back, as with segmentation offload",
      KEY_AT(struct traffic_tcp, burst_bytes), 1, BURST_BYTES_MAX },
    { "min_rto",   KEY_TIME, "1ms",   "minimum time-out. Linux has 200ms, for the Internet",
      KEY_AT(struct traffic_tcp, rto_ps_min), RTO_PS_MIN, KEY_TIME_PS_MAX },
    { "wake",      KEY_TIME, "2us",   "largest reaction time to an ACK (random); 0: none",
      KEY_AT(struct traffic_tcp, wake_ps_max) },
    { "senders",   KEY_LIST, "",      "which; a count: the first that are not the receiver" },
    { "receiver",  KEY_NAME, "",      "default: the last host" },
    { "size",      KEY_BYTES, "",      "of each flow" },
    { "flows",     KEY_COUNT, "1",     "of each sender, at once" },
    { "period",    KEY_TIME, "0",     "time between bursts; 0: one burst" },
    { "sizes",     KEY_NAME, "",      "instead of `senders`, as for poisson, with the load below" },
    { "load",      KEY_REAL, "0.3",   "as for poisson" },
    { "of",        KEY_NAME, "hosts", "as for poisson" },
    { "hosts",     KEY_LIST, "",      "as for poisson" },
    { 0 },
};

static uint32_t read_algorithm(const struct entry *e)
{
    const struct traffic_tcp_algorithm *algo = e->env->tcp;
    const char                         *names[16] = { NULL };

    for (int i = 0; algo[i].name && i < 15; i++)
        names[i] = algo[i].name;
    int chosen = section_choice(&e->sec, "algorithm", "an algorithm of TCP", names);
    return chosen < 0 ? 0 : (uint32_t)chosen;
}

static void read_cfg(const struct entry *e, struct traffic_tcp *cfg)
{
    cfg->algorithm = read_algorithm(e);
    const struct traffic_tcp_algorithm *algo = &e->env->tcp[cfg->algorithm];
    cfg->is_ecn = algo->needs_ecn;
    section_read(&e->sec, keys, cfg);
    if (algo->needs_ecn && !cfg->is_ecn)
        section_refuse(&e->sec, "ecn", "%s requires ECN", algo->name);
}

static void refuse_keys(const struct entry *e, const char *const *key, const char *other_key)
{
    for (; *key; key++)
        if (section_get(&e->sec, *key))
            reader_refuse_key(e->r, section_get(&e->sec, *key), "'%s' cannot be combined with '%s': give "
                              "either a load ('sizes', 'load', 'of', 'hosts') or 'senders' ('receiver', "
                              "'size', 'flows', 'period')", *key, other_key);
}

static void tcp_read(struct entry *e)
{
    static const char *const of_load[] = { "load", "of", "hosts", NULL };
    static const char *const of_senders[] = { "senders", "receiver", "size", "flows", "period", NULL };
    bool                     at_load = section_get(&e->sec, "sizes");
    struct traffic_tcp       cfg = { 0 };

    if (!e->env->tcp) {
        reader_refuse(e->r, e->sec.map, "there is no tcp in this model");
        return;
    }
    read_cfg(e, &cfg);
    refuse_keys(e, at_load ? of_senders : of_load, at_load ? "sizes" : "senders");
    if (e->r->rc)
        return;
    uint8_t number = traffic_add_tcp(e->traffic, &cfg);
    if (!number)
        reader_refuse(e->r, e->sec.map, "more than %d different settings of tcp", TRAFFIC_TCPS_MAX);
    else
        (at_load ? &traffic_poisson : &traffic_incast)->read(e);
    if (!e->r->rc)
        traffic_use_tcp(e->traffic, number);
}

/* Its entries belong to the kinds that read them (poisson, incast). */
const struct traffic_kind traffic_tcp = {
    .name = "tcp", .about = "TCP in a class of its own, at a load or from some senders to one receiver",
    .keys = keys, .read = tcp_read,
};
