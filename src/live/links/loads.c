#include "live/links/loads.h"
#include "base/minmax.h"
#include "base/text.h"
#include "core/units.h"
#include "live/controller/roster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_US 15000000u       /* counters of switches are up to 10 s old */

static const struct load unknown = { -1, -1, -1 };

void loads_init(struct loads *s, const struct links *links, uint64_t look)
{
    *s = (struct loads){ .links = links, .look = look };
    s->load = xcalloc(links->links + 1ul, sizeof *s->load);
    s->first = xcalloc(links->nodes + 1ul, sizeof *s->first);
    memset(s->first, 0xff, links->nodes * sizeof *s->first);     /* LINKS_NONE */
    for (uint32_t i = 0; i < links->links; i++)
        s->load[i] = (struct link_load){ .way = { unknown, unknown }, .changed = look + 1 };
}

void loads_fini(struct loads *s)
{
    free(s->load);
    free(s->first);
    free(s->next);
    *s = (struct loads){ 0 };
}

/* A device has the node of its whole name, or of the part before the slash: its host or switch. */
static void find_devices(struct loads *s, const struct controller *c)
{
    s->next = xrealloc(s->next, (c->peers + 1ul) * sizeof *s->next);
    for (uint32_t i = s->devices; i < c->peers; i++) {
        const char *name = c->peer[i].name;
        uint32_t    node = links_find(s->links, name, strlen(name));

        if (node == LINKS_NONE)
            node = links_find(s->links, name, strcspn(name, "/"));
        s->next[i] = LINKS_NONE;
        if (node == LINKS_NONE)
            continue;
        s->next[i] = s->first[node];
        s->first[node] = i;
    }
    s->devices = c->peers;
    s->roster = c->roster;
    s->version++;
}

/* ---- looking ---- */

int32_t loads_thousandths(double value)
{
    return isnan(value) ? -1 : (int32_t)lrint(clamp_real(value, 0, 1000) * 1000);
}

int64_t loads_two_digits(uint64_t n)
{
    uint64_t unit = 1;

    while (n / unit >= 100)
        unit *= 10;
    n = n / unit * unit;
    return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

json_t *loads_row(json_t *row, const int64_t *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(row, value[i] < 0 ? json_null() : json_integer(value[i]));
    return row;
}

static struct load load_of(const struct msg_port *p, uint64_t interval_us, bool counts_pauses)
{
    struct load l = unknown;

    if (p->rate_bps)
        l.use = loads_thousandths(fmin(1, (double)p->tx_bytes * 8e6 / (double)interval_us /
                                          (double)p->rate_bps));
    if (counts_pauses)
        l.paused = loads_thousandths(fmin(1, (double)p->paused_ps / (double)PS_PER_US / (double)interval_us));
    if (p->has_queue)
        l.queue = loads_two_digits(p->queue_bytes);
    return l;
}

/* By name or index; the port of a single-port device may be omitted. */
static const struct msg_port *port_of(const struct msg_detail *d, const char *name)
{
    struct err ignored;
    uint64_t   place;

    for (uint32_t i = 0; i < d->ports; i++)
        if (*d->port[i].name && strcmp(d->port[i].name, name) == 0)
            return &d->port[i];
    if (!*name)
        return d->ports == 1 ? &d->port[0] : NULL;
    return text_to_uint(name, &place, &ignored) == 0 && place < d->ports && !*d->port[place].name ?
           &d->port[place] : NULL;
}

/* "host1:mlx5_0" is the device "host1/mlx5_0". */
static bool is_meant(const char *device, const char *port)
{
    const char *slash = strchr(device, '/');

    return slash && strcmp(slash + 1, port) == 0;
}

/* Returns false if this device does not report ports. */
static bool see_device(const struct peer *p, const char *port, bool is_alone, struct load *out)
{
    const struct msg_sample *m = &p->sample;
    /* of a device with a single port */
    struct msg_port          own = { .tx_bytes = m->tx_bytes, .rate_bps = m->rate_bps,
                                     .paused_ps = isnan(m->paused) ? 0 :
                                     (uint64_t)(m->paused * (double)m->interval_us * PS_PER_US) };
    const struct msg_port   *found = NULL;

    if (!m->interval_us || m->is_brief)
        return false;
    if (p->has_detail && p->detail->ports)
        found = port_of(p->detail, port);
    if (!found && p->where == KNOB_NIC && (is_alone || is_meant(p->name, port)))
        found = &own;
    if (found)
        *out = load_of(found, m->interval_us, !isnan(m->paused));
    return found;
}

/* The load that an end sends. *has_sender: one of its devices reports. */
static bool see_end(const struct loads *s, const struct controller *c, const struct link_end *e,
                    uint64_t now_us, struct load *out, bool *has_sender)
{
    uint32_t first = s->first[e->node];
    bool     is_alone = first != LINKS_NONE && s->next[first] == LINKS_NONE, is_known = false;

    *has_sender = false;
    for (uint32_t i = first; i != LINKS_NONE && !is_known; i = s->next[i])
        if (roster_is_fresh(c, &c->peer[i], now_us)) {
            *has_sender = true;
            is_known = see_device(&c->peer[i], e->port, is_alone, out);
        }
    return is_known;
}

static void see_link(struct loads *s, const struct controller *c, uint32_t i, uint64_t now_us)
{
    struct link_load *l = &s->load[i];

    for (int side = 0; side < 2; side++) {
        struct load seen = unknown;
        bool        has_sender, is_known = see_end(s, c, &s->links->link[i].end[side], now_us, &seen,
                                                   &has_sender);

        if (is_known)
            l->known_us[side] = now_us;
        else if (has_sender && l->known_us[side] && now_us - l->known_us[side] < KNOWN_US)
            seen = l->way[side];
        if (memcmp(&seen, &l->way[side], sizeof seen) == 0)
            continue;
        l->way[side] = seen;
        l->changed = s->look;
    }
}

void loads_look(struct loads *s, const struct controller *c, uint64_t now_us)
{
    s->look++;
    if (!s->links)
        return;
    if (c->peers != s->devices || c->roster != s->roster)
        find_devices(s, c);
    for (uint32_t i = 0; i < s->links->links; i++)
        see_link(s, c, i, now_us);
}

/* ---- as JSON ---- */

static json_t *nodes_json(const struct loads *s, const struct controller *c)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->links->nodes; i++) {
        uint32_t    device = s->first[i];
        const char *kind = device == LINKS_NONE ? "" : c->peer[device].where == KNOB_NIC ? "NIC" : "switch";

        json_array_append_new(list, json_pack("[o, s]", json_of_text(s->links->node[i]), kind));
    }
    return list;
}

json_t *loads_json(const struct loads *s, const struct controller *c)
{
    if (!s->links)
        return NULL;
    json_t *links = json_array();
    bool    is_drawn = s->links->links <= LOADS_DRAWN;
    for (uint32_t i = 0; i < s->links->links && is_drawn; i++)
        json_array_append_new(links, json_pack("[I, I]", (json_int_t)s->links->link[i].end[0].node,
                                               (json_int_t)s->links->link[i].end[1].node));
    return json_pack("{s:I, s:I, s:o, s:o}", "version", (json_int_t)s->version, "total",
                     (json_int_t)s->links->links, "nodes", is_drawn ? nodes_json(s, c) : json_array(),
                     "links", links);
}

static json_t *add_loads(json_t *row, const struct load way[2])
{
    int64_t value[] = { way[0].use, way[1].use, way[0].paused, way[1].paused, way[0].queue, way[1].queue };

    return loads_row(row, value, 6);
}

static json_t *changes(const struct loads *s, uint64_t since)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < s->links->links; i++)
        if (s->load[i].changed > since)
            json_array_append_new(list, add_loads(json_pack("[I]", (json_int_t)i), s->load[i].way));
    return list;
}

/* Pauses before load: a link that stands still is worse than one that is full. */
static int64_t badness(const struct link_load *l)
{
    int64_t worst = 0;

    for (const struct load *way = l->way; way < l->way + 2; way++) {
        int64_t bad = 10000ll * (way->paused > 0 ? way->paused : 0) + (way->use > 0 ? way->use : 0);

        worst = bad > worst ? bad : worst;
    }
    return worst;
}

static json_t *worst_row(const struct loads *s, uint32_t i)
{
    const struct link *l = &s->links->link[i];

    return add_loads(json_pack("[o, o]", json_of_text(s->links->node[l->end[0].node]),
                               json_of_text(s->links->node[l->end[1].node])), s->load[i].way);
}

/* One look at all of them; those found so far in order, the worst first. */
static json_t *worst(const struct loads *s)
{
    uint32_t best[LOADS_WORST], count = 0;
    json_t  *list = json_array();

    for (uint32_t i = 0; i < s->links->links; i++) {
        int64_t  bad = badness(&s->load[i]);
        uint32_t at = count;

        while (at && badness(&s->load[best[at - 1]]) < bad)
            at--;
        if (at == LOADS_WORST)
            continue;
        count += count < LOADS_WORST;
        memmove(&best[at + 1], &best[at], (count - 1 - at) * sizeof *best);
        best[at] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, worst_row(s, best[i]));
    return list;
}

json_t *loads_changes(const struct loads *s, uint64_t since)
{
    if (!s->links)
        return NULL;
    bool    is_drawn = s->links->links <= LOADS_DRAWN;
    json_t *list = is_drawn ? changes(s, since) : worst(s);
    if (json_array_size(list))
        return json_pack("{s:I, s:o}", "version", (json_int_t)s->version, is_drawn ? "links" : "worst", list);
    json_decref(list);
    return NULL;
}
