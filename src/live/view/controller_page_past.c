#include "live/view/controller_page.h"
#include "live/controller/roster.h"
#include "live/core/knobset.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE_MS 60000u

_Static_assert(MSG_NAME_SIZE == STORE_NAME_SIZE, "names of devices fit");

int past_open(struct past *p, const char *path, struct err *err)
{
    int rc = history_open(&p->history, path, err);

    if (!rc)
        p->record = history_last_record(p->history);
    return rc;
}

void past_fini(struct past *p)
{
    history_free(p->history);
    free(p->heard);
    *p = (struct past){ 0 };
}

/* ---- who was heard ---- */

static void tell_heard(struct past *p, const struct controller *c)
{
    char   (*name)[STORE_NAME_SIZE] = xcalloc(p->size ? p->size : 1, sizeof *name);
    uint8_t *share = xcalloc(p->size ? p->size : 1, 1);

    for (uint32_t i = 0; i < p->size; i++) {
        const struct past_heard *h = &p->heard[i];

        memcpy(name[i], c->peer[i].name, sizeof *name);
        share[i] = (uint8_t)(h->looks ? (h->fresh * STORE_SHARE_ONE + h->looks / 2) / h->looks :
                             STORE_NOT_THERE);
        p->heard[i] = (struct past_heard){ 0 };
    }
    history_add_coverage(p->history, p->minute * MINUTE_MS, p->size, (const char (*)[STORE_NAME_SIZE])name,
                         share);
    free(name);
    free(share);
}

static void look_at_devices(struct past *p, const struct controller *c, uint64_t wall_ms, uint64_t now_us)
{
    if (p->minute && p->minute != wall_ms / MINUTE_MS)
        tell_heard(p, c);
    p->minute = wall_ms / MINUTE_MS;
    if (c->peers > p->size) {
        p->heard = xrealloc(p->heard, c->peers * sizeof *p->heard);
        memset(p->heard + p->size, 0, (c->peers - p->size) * sizeof *p->heard);
        p->size = c->peers;
    }
    for (uint32_t i = 0; i < c->peers; i++) {
        p->heard[i].looks++;
        p->heard[i].fresh += roster_is_fresh(c, &c->peer[i], now_us);
    }
}

/* ---- all else ---- */

static void tell_point(struct past *p, const struct timeline_point *at)
{
    struct store_point s = { at->wall_ms, { [STORE_COVERAGE] = at->coverage, [STORE_METRIC] = at->metric,
                                            [STORE_PAUSED] = at->paused,
                                            [STORE_UTILISATION] = at->utilisation, [STORE_CNPS] = at->cnps,
                                            [STORE_TRIED] = at->trial != 0, [STORE_WITH] = at->with,
                                            [STORE_WITHOUT] = at->without } };

    history_add_point(p->history, &s);
}

static void tell_knobs(struct past *p, const struct timeline *t)
{
    for (; p->changes < t->changes; p->changes++) {
        const struct timeline_knobs *k = &t->knobs[p->changes % TIMELINE_KNOBS];
        json_t                      *o;
        char                        *text;

        if (t->changes - p->changes > TIMELINE_KNOBS || knobset_is_empty(&k->confirmed) ||
            knobset_is_same(&k->confirmed, &p->confirmed))
            continue;
        o = knobset_json(&k->confirmed);
        text = json_dumps(o, JSON_COMPACT);
        json_decref(o);
        if (text)
            history_add_knobs(p->history, k->wall_ms, text);
        free(text);
        p->confirmed = k->confirmed;
    }
}

static void tell_records(struct past *p, const struct ledger *l)
{
    const char *line;
    uint64_t    seq;

    while ((line = ledger_after(l, p->record, &seq))) {
        history_add_record(p->history, line);
        p->record = seq;
    }
}

void past_look(struct past *p, const struct controller *c, const struct timeline *t, const struct ledger *l,
               uint64_t now_us)
{
    const struct timeline_point *at = timeline_last(t);

    if (!p->history || !at)
        return;
    tell_records(p, l);
    if (!c->peers)
        return;                  /* there is nothing to measure yet */
    tell_point(p, at);
    tell_knobs(p, t);
    look_at_devices(p, c, at->wall_ms, now_us);
}
