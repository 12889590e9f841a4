#include "train/env/env_world.h"
#include "base/text.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOSTS_MAX 64u
#define FLOWS_MAX 8192u
#define DIGITS_MAX 4
#define NAME_BYTES 96
#define RATE_BPS  100000000000ull
#define DELAY_PS  (1500 * PS_PER_NS)
#define BUFFER_BYTES 2000000ull
#define PORT_BYTES   60000ull    /* minimum per port, which includes headroom */
#define FOREVER_PS (1000 * PS_PER_S)
#define DELAY_MIN_PS (10 * PS_PER_NS)
#define DELAY_MAX_PS (100 * PS_PER_US)
#define RATE_MIN_BPS 1000000000ull
#define RATE_MAX_BPS 1600000000000ull

const char *const env_kind_names[] = { "many_to_one", "all_to_all", "long_short", NULL };

/* ---- names ---- */

static uint64_t count_flows(const struct env_world *w)
{
    return (uint64_t)w->hosts * w->qps * (w->kind == ENV_ALL_TO_ALL ? w->hosts - 1 : 1);
}

static bool is_within_limits(const struct env_world *w)
{
    uint32_t least = w->kind == ENV_LONG_SHORT ? 2 : w->kind == ENV_ALL_TO_ALL ? 2 : 1;

    return w->hosts >= least && w->hosts <= HOSTS_MAX && w->qps >= 1 && count_flows(w) <= FLOWS_MAX;
}

/* Reads one to four digits and advances past them. */
static bool take_number(const char **at, uint32_t *number)
{
    const char *first = *at;

    for (*number = 0; **at >= '0' && **at <= '9' && *at - first < DIGITS_MAX; (*at)++)
        *number = 10 * *number + (uint32_t)(**at - '0');
    return *at > first;
}

static bool take_numbers(struct env_world *w, const char *at)
{
    if (!take_number(&at, &w->hosts))
        return false;
    if (w->kind != ENV_LONG_SHORT && (*at++ != '_' || !take_number(&at, &w->qps)))
        return false;
    return *at == '\0';
}

/* Ends a text before a character. Returns the rest behind it, or NULL. */
static char *cut(char *text, char at)
{
    char *rest = strchr(text, at);

    if (rest)
        *rest++ = '\0';
    return rest;
}

/* 'rate' may be NULL. */
static int parse_links(struct env_world *w, const char *delay, const char *rate, struct err *err)
{
    struct err why;
    int        rc = text_to_time(delay, &w->delay_ps, &why);

    if (!rc && rate)
        rc = text_to_rate(rate, &w->rate_bps, &why);
    if (!rc && (w->delay_ps < DELAY_MIN_PS || w->delay_ps > DELAY_MAX_PS || w->delay_ps % PS_PER_NS != 0))
        rc = err_set(&why, ERANGE, "'%s': delays of links are 10ns to 100us, in whole nanoseconds", delay);
    if (!rc && rate && (w->rate_bps < RATE_MIN_BPS || w->rate_bps > RATE_MAX_BPS))
        rc = err_set(&why, ERANGE, "'%s': rates of links are 1Gbps to 1600Gbps", rate);
    return rc ? err_set(err, EINVAL, "after @ comes DELAY or DELAY,RATE, such as 5us,400Gbps: %s", why.text)
              : 0;
}

static int parse_flows(struct env_world *w, const char *text, struct err *err)
{
    char kind[NAME_BYTES];

    snprintf(kind, sizeof kind, "%s", text);
    char *numbers = cut(kind, ':');

    while (numbers && env_kind_names[w->kind] && strcmp(env_kind_names[w->kind], kind) != 0)
        w->kind++;
    if (!numbers || !env_kind_names[w->kind])
        return err_set(err, EINVAL, "'%.60s' is not a world to learn in; there are many_to_one:HOSTS_QPS, "
                       "all_to_all:HOSTS_QPS and long_short:HOSTS", text);
    if (!take_numbers(w, numbers))
        return err_set(err, EINVAL, "'%.60s': after the colon comes %s", text,
                       w->kind == ENV_LONG_SHORT ? "the number of hosts" : "HOSTS_QPS, such as 8_16");
    if (!is_within_limits(w))
        return err_set(err, ERANGE, "'%.60s': at most %u hosts and %u flows, at least 2 hosts", text,
                       HOSTS_MAX, FLOWS_MAX);
    return 0;
}

int env_world_parse(struct env_world *w, const char *text, struct err *err)
{
    char flows[NAME_BYTES];

    *w = (struct env_world){ .qps = 1 };
    if (strlen(text) >= sizeof(flows))
        return err_set(err, EINVAL, "'%.60s...' is not a world to learn in", text);
    snprintf(flows, sizeof flows, "%s", text);
    char *links = cut(flows, '@');
    char *rate = links ? cut(links, ',') : NULL;
    int rc = parse_flows(w, flows, err);
    return rc || !links ? rc : parse_links(w, links, rate, err);
}

const char *env_world_name(char *text, size_t size, const struct env_world *w)
{
    char flows[40], delay[32] = "", rate[32] = "";

    if (w->kind == ENV_LONG_SHORT)
        snprintf(flows, sizeof(flows), "%s:%u", env_kind_names[w->kind], w->hosts);
    else
        snprintf(flows, sizeof(flows), "%s:%u_%u", env_kind_names[w->kind], w->hosts, w->qps);
    if (w->delay_ps)
        snprintf(delay, sizeof(delay), "@%.10gus", (double)w->delay_ps / (double)PS_PER_US);
    if (w->delay_ps && w->rate_bps)
        snprintf(rate, sizeof(rate), ",%.10gGbps", (double)w->rate_bps / 1e9);
    snprintf(text, size, "%s%s%s", flows, delay, rate);
    return text;
}

double env_world_bps(const struct env_world *w)
{
    return (double)(w->rate_bps ? w->rate_bps : RATE_BPS) * (w->kind == ENV_ALL_TO_ALL ? w->hosts : 1);
}

/* ---- text ---- */

static void write_traffic(FILE *out, const struct env_world *w)
{
    if (w->kind == ENV_ALL_TO_ALL)
        fprintf(out, "  - {kind: posted, pattern: all_to_all, qps: %u, outstanding: 30, size: 64KiB, "
                "spread: 1ms}\n", w->qps);
    else if (w->kind == ENV_MANY_TO_ONE)
        fprintf(out, "  - {kind: posted, qps: %u, outstanding: 40, size: 64KiB, spread: 1ms}\n", w->qps);
    else
        fprintf(out, "  - {kind: posted, name: long, hosts: [h0], outstanding: 10, size: 2000000KiB, spread: "
                "0us}\n  - {kind: posted, name: short, hosts: %u, outstanding: 10, size: 200KiB, period: "
                "10ms, start: 1ms, spread: 10us}\n", w->hosts);
}

static unsigned long long buffer_bytes(const struct env_world *w)
{
    double   rate_bps = (double)(w->rate_bps ? w->rate_bps : RATE_BPS);
    uint64_t in_flight = (uint64_t)(2 * (double)w->delay_ps / 8e12 * rate_bps);        /* after a pause */
    uint64_t ports = (w->hosts + 1) * (PORT_BYTES + in_flight);

    return w->buffer_bytes ? w->buffer_bytes : ports > BUFFER_BYTES ? ports : BUFFER_BYTES;
}

char *env_world_text(const struct env_world *w)
{
    char  *text;
    FILE  *out = text_stream(&text);

    fprintf(out, "cc: rlcc\ntopology: {kind: star, hosts: %u, rate: %llubps, delay: %lluns}\n",
            w->hosts + (w->kind != ENV_ALL_TO_ALL),
            (unsigned long long)(w->rate_bps ? w->rate_bps : RATE_BPS),
            (unsigned long long)((w->delay_ps ? w->delay_ps : DELAY_PS) / PS_PER_NS));
    fprintf(out, "run: %lluns\n", (unsigned long long)((w->run_ps ? w->run_ps : FOREVER_PS) / PS_PER_NS));
    fprintf(out, "host: {mtu: %u, ack_every: %u}\n", w->mtu_bytes ? w->mtu_bytes : 1024,
            w->ack_every ? w->ack_every : 1);
    fprintf(out, "switch: {ecn: no, lossless: %s, buffer: %lluB}\n", w->is_lossy ? "no" : "yes",
            buffer_bytes(w));
    fprintf(out, "knobs: {rlcc_base: %s, rlcc_rtt_max: 0, rlcc_decision: %.10gus}\n",
            w->delay_ps ? "0us" : "8.192us", w->decision_us);
    fprintf(out, "traffic:\n");
    write_traffic(out, w);
    fclose(out);
    return text;
}

int env_world_open(struct env **e, const struct env_world *w, struct env_cfg cfg, struct err *err)
{
    char *text = env_world_text(w);

    cfg.text = text;
    cfg.text_bytes = strlen(text);
    int rc = env_open(e, &cfg, err);
    free(text);
    return rc;
}

/* ---- training rows ---- */

#define STEPS_A_TIME 20000u

int env_add_rows(struct tree_rows *rows, const struct policy *p, const char *world, uint32_t states,
                 uint64_t seed, struct err *err)
{
    const struct env_quota quota = { .steps_least = STEPS_A_TIME, .steps_most = STEPS_A_TIME };
    uint32_t rows_max = rows->rows + states;
    bool has_more = true;
    struct env_world w;
    struct env *e;

    if (!policy_is_float(p))
        return err_set(err, EINVAL, "flows of a world are controlled by an mlp or an lstm, not by %s",
                       policy_body_name[p->body]);
    int rc = env_world_parse(&w, world, err);
    w.mtu_bytes = 4096;          /* fewer packets for the same number of steps */
    if (!rc)
        rc = env_world_open(&e, &w, (struct env_cfg){ .name = world, .seed = seed, .policy = p }, err);
    if (rc)
        return rc;
    while (has_more && rows->rows < rows_max) {
        has_more = env_collect(e, &quota);
        for (uint32_t i = 0; i < env_agents(e); i++) {
            /* The action taken in a state is the 'last action' of the next state, for any policy. */
            const struct env_agent *a = env_agent(e, i);

            for (uint32_t k = 0; k + 1 < a->steps && rows->rows < rows_max; k++)
                tree_rows_add(rows, a->x[k], a->x[k + 1][2]);
        }
    }
    env_close(e);
    return 0;
}
