/* peers/convert/convert.c - functions shared by the writers. */
#include "peers/convert/convert.h"
#include "base/print/safe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool convert_hosts_first(const struct graph *g)
{
    for (uint32_t i = 0; i < g->hosts; i++)
        if (g->node[i].is_switch)
            return false;
    return true;
}

static char *format_units(char *buf, size_t size, uint64_t value, const char *const *units)
{
    while (units[1] && value && value % 1000 == 0) {
        value /= 1000;
        units++;
    }
    snprintf(buf, size, "%llu%s", (unsigned long long)value, units[0]);
    return buf;
}

char *convert_rate(char *buf, size_t size, uint64_t bps)
{
    static const char *const units[] = { "bps", "Kbps", "Mbps", "Gbps", NULL };

    return format_units(buf, size, bps, units);
}

char *convert_time(char *buf, size_t size, uint64_t ps)
{
    static const char *const units[] = { "ps", "ns", "us", "ms", "s", NULL };

    return format_units(buf, size, ps, units);
}

char *convert_real(char *buf, size_t size, double value)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buf, size, "%.*g", digits, value);
        if (strtod(buf, NULL) == value)
            break;
    }
    return buf;
}

void convert_note_fork(const struct sim_cfg *cfg)
{
    const struct cc_fork *f = &cfg->fork;

    if (cfg->is_unpaced || cfg->ack_from_bytes || (cfg->window_by_pair && cfg->window_bytes))
        convert_note("RATE_BOUND, L2_ACK_INTERVAL and GLOBAL_T are left out: packets are paced, each has an "
                     "ACK, and windows are "
                     "those of the network");
    if (f->is_slow || f->has_hop_rates || f->skips_empty || f->pint_ignored)
        convert_note("FAST_REACT, MULTI_RATE, SAMPLE_FEEDBACK and PINT_PROB are left out");
}

void convert_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("anole: note: ", stderr);
    safe_vprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int convert_parse(struct convert_source *s, const char *name, char *text, struct err *err)
{
    int rc = scenario_parse(&s->scenario, name, text, strlen(text), s->set, s->sets, s->seed, err);

    free(text);
    return rc;
}
