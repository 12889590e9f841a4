#include "live/controller/term.h"
#include "base/err.h"
#include "base/minmax.h"
#include "live/controller/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* counters that agents may have seen beyond ours, or beyond those of most hosts: one host, the only one of a
 * fabric, most. A controller takes one per start */
#define AHEAD_MAX      1024u
#define AHEAD_MAX_SOLE (1u << 20)
#define AHEAD_MAX_MOST (1ull << 40)
#define BLAME_US       600000000u        /* between records about impossible terms */

static uint64_t counter_of(uint64_t term)
{
    return term >> MSG_TERM_ID_BITS;
}

/* Names the sender of a term that no controller can have come to. */
static void blame(struct controller *c, const char *name, uint64_t term, uint64_t now_us)
{
    char why[MSG_WHY_SIZE];

    if (now_us < c->blamed_us + BLAME_US && c->blamed_us)
        return;
    c->blamed_us = now_us;
    snprintf(why, sizeof why, "%.63s: it claims the impossible term %" PRIu64 "; its messages are ignored",
             name, term);
    trial_note(c, "ignore", why);
}

bool term_is_possible(struct controller *c, const char *name, uint64_t term, uint64_t now_us)
{
    /* while it listens any term may turn out to be that of most hosts */
    bool is = c->role == ROLE_GATHER ? counter_of(term) <= MSG_TERM_COUNTER_MAX :
              counter_of(term) <= c->counter + AHEAD_MAX_SOLE && counter_of(term) < MSG_TERM_COUNTER_MAX;

    if (!is)
        blame(c, name, term, now_us);
    return is;
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* The largest counter that more than half of the hosts claim, each by its highest device. */
static uint64_t counter_of_most(const struct controller *c, uint32_t *hosts)
{
    uint64_t *claim = xcalloc(c->peers + 1ul, sizeof *claim), most;
    bool     *is_host = xcalloc(c->peers + 1ul, sizeof *is_host);

    *hosts = 0;
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        claim[p->host] = max_u64(claim[p->host], counter_of(p->claim));
        is_host[p->host] = true;
    }
    for (uint32_t i = 0; i < c->peers; i++)
        if (is_host[i])
            claim[(*hosts)++] = claim[i];
    qsort(claim, *hosts, sizeof *claim, by_size);
    most = *hosts ? claim[(*hosts - 1) / 2] : 0;
    free(claim);
    free(is_host);
    return most;
}

/* The highest counter that it has reason to believe in. */
static uint64_t counter_heard(const struct controller *c)
{
    uint32_t hosts;
    uint64_t most = counter_of_most(c, &hosts), near, highest;

    if (hosts > 1 && most <= c->counter + AHEAD_MAX_MOST)
        highest = max_u64(c->counter, most);
    else
        highest = c->counter;
    near = highest + (hosts > 1 ? AHEAD_MAX : AHEAD_MAX_SOLE);
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (counter_of(p->claim) <= near && counter_of(p->claim) < MSG_TERM_COUNTER_MAX)
            highest = max_u64(highest, counter_of(p->claim));
    return highest;
}

/* Devices that claim more than this are not believed in anything. */
static void drop_impossible(struct controller *c, uint64_t counter, uint64_t now_us)
{
    for (uint32_t i = 0; i < c->peers; i++)
        if (counter_of(c->peer[i].claim) > counter + AHEAD_MAX_SOLE) {
            blame(c, c->peer[i].name, c->peer[i].claim, now_us);
            roster_forget(c, &c->peer[i--]);
        }
}

uint64_t term_next(struct controller *c, uint64_t now_us)
{
    uint64_t counter = counter_heard(c) + 1;

    drop_impossible(c, counter, now_us);
    return counter;
}

void term_see(struct controller *c, struct peer *p, uint64_t term)
{
    if (!term)
        return;
    if (c->role == ROLE_GATHER)
        p->claim = max_u64(p->claim, term);
    p->is_ahead = c->role == ROLE_ACTIVE && term > c->term;
    c->is_doubted |= p->is_ahead;
}

/* Those that are silent now count: while they are cut off, the one that lies may be the only one left. One
 * host alone is never enough. */
bool term_is_outvoted(struct controller *c, uint64_t now_us)
{
    if (c->role != ROLE_ACTIVE || !c->is_doubted || c->has_lease)
        return false;
    c->is_doubted = false;
    struct roster_hosts n = roster_hosts(c, true, now_us);
    return n.meant > 1 && 2 * n.meant > n.all;
}
