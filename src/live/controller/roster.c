#include "live/controller/roster.h"
#include "base/err.h"
#include "base/minmax.h"
#include "live/core/knobset.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRIFT_US 20              /* of a clock between two reports, at most */
/* a device silent for this many times the age limit of reports is left out of the next trial */
#define GONE_FACTOR 10
/* a device that needs more time between changes is not tried: all others would wait for it */
#define GAP_US_MAX 60000000u
#define INTERVAL_US_MAX 60000000u        /* one that reports less often counts as silent */

/* ---- who ---- */

/* Peers are found through trees (search.h) whose keys are fields of the peers themselves. */
static int compare_links(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint32_t));       /* any order will do */
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Devices of one host have names that are equal up to a '/'. */
static int compare_hosts(const void *a, const void *b)
{
    size_t m = strcspn(a, "/"), n = strcspn(b, "/");
    int    order = memcmp(a, b, m < n ? m : n);

    return order ? order : (m > n) - (m < n);
}

/* The peer whose field is the key of a tree's node; NULL: no node. */
static struct peer *peer_of(void *node, size_t field)
{
    return node ? (struct peer *)(void *)(*(char **)node - field) : NULL;
}

struct peer *roster_of_link(const struct controller *c, uint32_t link)
{
    return peer_of(tfind(&link, &c->by_link, compare_links), offsetof(struct peer, link));
}

struct peer *roster_find(const struct controller *c, const char *name)
{
    return peer_of(tfind(name, &c->by_name, compare_names), offsetof(struct peer, name));
}

void roster_cut(struct controller *c, uint32_t link)
{
    struct peer *p = roster_of_link(c, link);

    if (!p)
        return;
    tdelete(&link, &c->by_link, compare_links);
    p->link = LINK_NONE;
}

void roster_leave(struct controller *c, struct peer *p)
{
    p->has_left = true;
    p->reports = p->metrics = 0;
    c->is_unranked = true;
}

/* Makes a peer known by its name and host, and by its link if it has one. */
static void add_peer(struct controller *c, struct peer *p)
{
    tsearch(p->name, &c->by_name, compare_names);
    p->host = (uint32_t)(peer_of(tsearch(p->name, &c->by_host, compare_hosts), offsetof(struct peer, name)) -
                         c->peer);
    if (p->link != LINK_NONE)
        tsearch(&p->link, &c->by_link, compare_links);
}

static void keep_key(void *key)
{
    (void)key;                   /* part of a peer */
}

void roster_fini(struct controller *c)
{
    void **tree[] = { &c->by_name, &c->by_link, &c->by_host };

    for (int i = 0; i < 3; i++) {
        tdestroy(*tree[i], keep_key);
        *tree[i] = NULL;
    }
}

void roster_forget(struct controller *c, struct peer *p)
{
    free(p->detail);
    *p = c->peer[--c->peers];
    c->peer[c->peers].detail = NULL;             /* it has moved */
    roster_fini(c);
    for (uint32_t i = 0; i < c->peers; i++)
        add_peer(c, &c->peer[i]);
    c->is_unranked = true;
    c->roster++;
}

static void take_state(struct controller *c, struct peer *p, const struct msg *m)
{
    c->is_unranked |= p->is_frozen != m->is_frozen;
    p->is_frozen = m->is_frozen;
    p->is_broken = m->is_broken;
    p->is_unreadable = m->is_unreadable;
    p->phase = m->phase;
    p->open_change = m->change;
    p->self = m->self;
}

struct peer *roster_on_hello(struct controller *c, uint32_t link, const struct msg *m, uint64_t now_us)
{
    struct peer *p = roster_find(c, m->name);

    if (!p && c->peers == c->peers_max)
        return NULL;
    if (p && p->link != link && p->incarnation != m->incarnation && roster_is_fresh(c, p, now_us))
        return NULL;             /* it reports over another link: this one uses its name */
    roster_cut(c, link);
    if (!p) {
        p = &c->peer[c->peers++];
        *p = (struct peer){ .rank = RANK_NONE, .link = LINK_NONE };
        snprintf(p->name, sizeof p->name, "%s", m->name);
        add_peer(c, p);
        c->roster++;
    }
    if (p->incarnation != m->incarnation)
        p->has_offset = false;
    roster_cut(c, p->link);
    p->link = link;
    tsearch(&p->link, &c->by_link, compare_links);
    p->has_left = false;
    p->incarnation = m->incarnation;
    p->where = m->where;
    p->gap_us = m->gap_us;
    p->interval_us = m->interval_us < INTERVAL_US_MAX ? m->interval_us : INTERVAL_US_MAX;
    p->may_write = m->may_write && m->gap_us <= GAP_US_MAX;
    p->device = m->set;
    p->confirmed = m->confirmed;
    p->facts = m->facts;
    p->baseline = m->baseline;
    memcpy(p->is_fixed, m->is_fixed, sizeof p->is_fixed);
    snprintf(p->frozen_why, sizeof p->frozen_why, "%s", m->why);
    take_state(c, p, m);
    p->heard_us = now_us;
    c->is_unranked = true;
    return p;
}

/* The report with the shortest delay gives the best clock offset. Clocks drift, so old measurements fade. */
static void take_offset(struct peer *p, uint64_t stamp_us, uint64_t now_us)
{
    int64_t offset_us = (int64_t)(stamp_us - now_us);

    if (!p->has_offset || offset_us > p->offset_us - DRIFT_US)
        p->offset_us = offset_us;
    else
        p->offset_us -= DRIFT_US;
    p->has_offset = true;
}

/* Messages of several reports between two ticks are those of all of them. */
static void take_seen(struct msg_detail *to, const struct msg_detail *from, bool is_more)
{
    if (from->has_seen && is_more && to->has_seen)
        seen_part_add(&to->seen, &from->seen);
    else if (from->has_seen)
        seen_part_copy(&to->seen, &from->seen);
    to->has_seen = from->has_seen;
}

static void take_detail(struct peer *p, const struct msg_detail *detail)
{
    p->has_detail = detail != NULL;
    if (!detail)
        return;
    if (!p->detail)
        p->detail = xcalloc(1, sizeof *p->detail);
    p->detail->fsd = detail->fsd;                /* most of the room is empty */
    p->detail->ports = detail->ports;
    p->detail->pairs = detail->pairs;
    take_seen(p->detail, detail, p->reports > 1);
    memcpy(p->detail->port, detail->port, detail->ports * sizeof *detail->port);
    memcpy(p->detail->pair, detail->pair, detail->pairs * sizeof *detail->pair);
}

void roster_on_report(struct controller *c, struct peer *p, const struct msg *m, uint64_t now_us)
{
    c->is_unranked |= !p->reported || p->has_left;
    p->reported = true;
    p->has_left = false;         /* a device that reports has not left */
    take_offset(p, m->stamp_us, now_us);
    take_state(c, p, m);
    p->heard_us = now_us;
    p->stamp_us = m->stamp_us;
    p->sample = m->sample;
    p->sample.detail = NULL;
    p->reports++;
    take_detail(p, m->sample.detail);
    memcpy(p->breach, m->why, sizeof p->breach);
    if (isnan(m->sample.metric))
        return;
    p->metric_sum += m->sample.metric;
    p->metrics++;
}

/* The age limit of its reports. */
static uint64_t limit_us(const struct controller *c, const struct peer *p)
{
    return c->cfg->stale_intervals * max_u64(p->interval_us, c->cfg->interval_us);
}

bool roster_is_fresh(const struct controller *c, const struct peer *p, uint64_t now_us)
{
    return p->heard_us && !p->has_left && p->link != LINK_NONE && now_us - p->heard_us <= limit_us(c, p);
}

void roster_look(struct controller *c, uint64_t now_us)
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        bool is_gone = now_us > p->heard_us + GONE_FACTOR * limit_us(c, p);

        c->is_unranked |= is_gone != p->is_gone;
        p->is_gone = is_gone;
    }
}

struct roster_hosts roster_hosts(const struct controller *c, bool is_ahead, uint64_t now_us)
{
    enum { UNKNOWN, OTHER, MEANT } *host = xcalloc(c->peers + 1ul, sizeof *host);
    struct roster_hosts n = { 0, 0 };

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->reported && (is_ahead || !p->has_left) && host[p->host] != MEANT)
            host[p->host] = roster_is_fresh(c, p, now_us) && (!is_ahead || p->is_ahead) ? MEANT : OTHER;
    for (uint32_t i = 0; i < c->peers; i++) {
        n.all += host[i] != UNKNOWN;
        n.meant += host[i] == MEANT;
    }
    free(host);
    return n;
}

double roster_coverage(const struct controller *c, uint64_t now_us)
{
    struct roster_hosts n = roster_hosts(c, false, now_us);

    return n.all ? (double)n.meant / n.all : 1;
}

const struct peer *roster_breach(const struct controller *c, uint64_t now_us)
{
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (*p->breach && roster_is_fresh(c, p, now_us))
            return p;
    return NULL;
}

uint64_t roster_instant(const struct peer *p, uint64_t at_us)
{
    return at_us + (uint64_t)p->offset_us;
}

/* ---- groups ---- */

/* FNV-1a: an order of devices that has nothing to do with racks. */
static uint64_t hash_of(const char *name)
{
    uint64_t h = 0xcbf29ce484222325;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3;
    return h;
}

struct place { uint32_t group; uint64_t order; struct peer *peer; };

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->group != y->group)
        return x->group > y->group ? 1 : -1;
    return x->order != y->order ? (x->order > y->order) - (x->order < y->order) :
           strcmp(x->peer->name, y->peer->name);
}

/* Ranks the devices of a kind; returns how many. is_again: for a trial, among those that have a rank. */
static uint32_t rank_kind(struct controller *c, enum knob_where where, bool is_again, struct place *place)
{
    uint32_t count = 0;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        uint32_t group = knobset_is_empty(&p->wanted) ? 2 : isnan(p->sample.metric) ? 1 : 0;

        if (p->where != where)
            continue;
        if (is_again && p->rank != RANK_NONE)
            place[count++] = (struct place){ group, p->rank, p };
        if (!is_again && p->may_write && !p->is_frozen && !p->has_left && p->reported && !p->is_gone)
            place[count++] = (struct place){ p->strikes, hash_of(p->name), p };
        p->rank = RANK_NONE;
    }
    qsort(place, count, sizeof *place, by_place);
    if (!is_again && count >= 4 && c->cfg->mode != MODE_DIRECT)
        count -= (uint32_t)ceil(c->cfg->hold_back * count);
    for (uint32_t i = 0; i < count; i++)
        place[i].peer->rank = i;
    return count;
}

static void rank(struct controller *c, bool is_again)
{
    struct place *place = xcalloc(c->peers + 1ul, sizeof *place);

    for (enum knob_where where = KNOB_NIC; where <= KNOB_SWITCH; where++)
        c->ranked[where] = rank_kind(c, where, is_again, place);
    free(place);
}

void roster_rank(struct controller *c)
{
    rank(c, false);
    c->is_unranked = false;
}

void roster_rank_for_trial(struct controller *c)
{
    rank(c, true);
}

struct peer *roster_canary(struct controller *c, uint64_t now_us)
{
    struct peer *best = NULL;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->rank != RANK_NONE && roster_is_fresh(c, p, now_us) &&
            (!best || p->where < best->where || (p->where == best->where && p->rank < best->rank)))
            best = p;
    return best;
}

bool roster_is_in(const struct controller *c, const struct peer *p, uint32_t stage, bool is_whole, int group)
{
    static const double share[STAGES] = { [STAGE_FEW] = 0.05, [STAGE_QUARTER] = 0.25 };
    uint32_t            count = c->ranked[p->where], first = (uint32_t)ceil(share[stage] * count);

    if (p->rank == RANK_NONE)
        return false;
    if (stage == STAGE_HALVES)
        return is_whole ? group == 0 : p->rank % 2 == (uint32_t)group;
    return group == 0 && p->rank < (first ? first : 1);
}

/* ---- metrics ---- */

struct mean { double sum; uint32_t count; };

static void add(struct mean *m, double value)
{
    m->sum += value;
    m->count++;
}

static double mean_of(struct mean m)
{
    return m.count ? m.sum / m.count : NAN;
}

/* Hosts notice a setting wherever it is applied. Switches count only if no host reports. */
static bool has_hosts(const struct controller *c)
{
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->where == KNOB_NIC)
            return true;
    return false;
}

double roster_value(const struct controller *c, uint32_t stage, bool is_whole)
{
    struct mean group[3] = { { 0 } };
    bool        has_nics = has_hosts(c);

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        int g = is_whole || roster_is_in(c, p, stage, is_whole, 0) ? 0 :
                roster_is_in(c, p, stage, is_whole, 1) ? 1 : 2;

        if (p->metrics && (p->where == KNOB_NIC || !has_nics))
            add(&group[g], p->metric_sum / p->metrics);
    }
    int other = group[1].count ? 1 : 2;
    return mean_of(group[0]) - (group[other].count ? mean_of(group[other]) : 0);
}

double roster_metric(const struct controller *c)
{
    return roster_value(c, STAGE_ONE, true);     /* all are in the first group */
}

double roster_control(const struct controller *c, enum knob_where where, uint64_t now_us)
{
    struct mean control = { 0 };

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->where == where && p->phase != PHASE_APPLIED && p->sample.interval_us && !p->sample.is_brief &&
            !isnan(p->sample.paused) && roster_is_fresh(c, p, now_us))
            add(&control, p->sample.paused);
    return mean_of(control);
}

static bool would_set(const struct peer *p, int knob)
{
    return p->confirmed.is_named[knob] && !p->is_fixed[knob];
}

/* It holds another value, and keeps it. */
static bool leaves_out(const struct peer *p, int knob, double value)
{
    return p->is_fixed[knob] && p->confirmed.is_named[knob] &&
           !knobset_is_equal_value(p->confirmed.knobs.value[knob], value);
}

struct knob_set roster_settable(const struct controller *c, const struct knob_set *wanted,
                                char left_out[MSG_WHY_SIZE])
{
    struct knob_set part = { 0 };
    size_t          used = 0;

    *left_out = '\0';
    for (int k = 0; k < KNOB_COUNT; k++) {
        bool is_left_out = false;

        for (const struct peer *p = c->peer; p < c->peer + c->peers && wanted->is_named[k]; p++) {
            is_left_out |= leaves_out(p, k, wanted->knobs.value[k]);
            if (would_set(p, k))
                knob_set_add(&part, (enum knob)k, wanted->knobs.value[k]);
        }
        if (is_left_out && used < MSG_WHY_SIZE)
            used += (size_t)snprintf(left_out + used, MSG_WHY_SIZE - used, "%s%s", used ? ", " : "",
                                     knob_info[k].name);
    }
    return part;
}

struct knob_set roster_held(const struct controller *c, const struct knob_set *of, bool is_baseline)
{
    bool            has_ranks = c->ranked[KNOB_NIC] || c->ranked[KNOB_SWITCH];
    struct knob_set all = { 0 };

    for (int k = 0; k < KNOB_COUNT; k++) {
        bool   is_same = of->is_named[k];
        double value = NAN;

        for (const struct peer *p = c->peer; p < c->peer + c->peers && is_same; p++) {
            const struct knob_set *own = is_baseline ? &p->baseline : &p->confirmed;

            if ((has_ranks && p->rank == RANK_NONE) || !own->is_named[k])
                continue;
            is_same = isnan(value) || knobset_is_equal_value(value, own->knobs.value[k]);
            value = own->knobs.value[k];
        }
        if (is_same && !isnan(value))
            knob_set_add(&all, (enum knob)k, value);
    }
    return all;
}

struct knob_set roster_first(const struct controller *c)
{
    struct knob_set first = { 0 };

    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (p->rank != RANK_NONE) {
            struct knob_set more = knobset_without(&p->confirmed, &first);

            knobset_put(&first, &more);
        }
    return first;
}

void roster_clear_metrics(struct controller *c)
{
    for (struct peer *p = c->peer; p < c->peer + c->peers; p++) {
        p->metric_sum = 0;
        p->metrics = p->reports = 0;
    }
}
