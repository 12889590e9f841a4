#include "live/view/cells.h"
#include "base/err.h"
#include "base/minmax.h"
#include "live/controller/roster.h"
#include "live/links/loads.h"
#include "live/view/state_json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cells_fini(struct cells *s)
{
    free(s->order);
    *s = (struct cells){ 0 };
}

/* ---- names ---- */

/* "h9" comes before "h10". */
static int compare(const void *left, const void *right, void *arg)
{
    const struct controller *c = arg;

    return strverscmp(c->peer[*(const uint32_t *)left].name, c->peer[*(const uint32_t *)right].name);
}

/* Length of the rack's name within a host's name: everything before its last number, if there is another
 * number before; otherwise 0. A host without a number has many devices, as a simulated network does: then
 * the device's name counts as well. */
static size_t rack_length(const char *name)
{
    size_t host = strcspn(name, "/"), end = strcspn(name, "0123456789") < host ? host : strlen(name);

    while (end && !isdigit((unsigned char)name[end - 1]))
        end--;
    while (end && isdigit((unsigned char)name[end - 1]))
        end--;
    for (size_t i = 0; i < end; i++)
        if (isdigit((unsigned char)name[i]))
            return end;
    return 0;
}

static bool is_same_rack(const char *a, const char *b)
{
    size_t length = rack_length(a);

    return length == rack_length(b) && strncmp(a, b, length) == 0;
}

/* ---- who is in which cell ---- */

static uint32_t fill(struct cells *s, const struct controller *c, uint32_t most)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->devices; i++) {
        struct cell *last = count ? &s->cell[count - 1] : NULL;

        if (last && last->count < most &&
            (most > CELLS_DEVICES || is_same_rack(c->peer[s->order[last->first]].name,
                                                  c->peer[s->order[i]].name)))
            last->count++;
        else if (count < CELLS_MAX)
            s->cell[count++] = (struct cell){ .first = i, .count = 1, .changed = s->look };
        else
            return 0;            /* too many */
    }
    return count;
}

static void arrange(struct cells *s, const struct controller *c)
{
    s->order = xrealloc(s->order, c->peers * sizeof *s->order);
    for (uint32_t i = 0; i < c->peers; i++)
        s->order[i] = i;
    s->devices = c->peers;
    s->roster = c->roster;
    qsort_r(s->order, s->devices, sizeof *s->order, compare, (void *)c);
    s->count = fill(s, c, s->devices <= CELLS_MAX ? 1 : CELLS_DEVICES);
    if (!s->count)
        s->count = fill(s, c, CELLS_DEVICES + s->devices / CELLS_MAX + 1);
    s->version++;
}

/* ---- looking ---- */

static struct cell_seen see(const struct cells *s, const struct cell *cell, const struct controller *c,
                            uint64_t now_us)
{
    struct cell_seen  seen = { .age_s = -1 };
    struct words_sums sums = { 0 };
    uint64_t          oldest_us = UINT64_MAX;

    for (uint32_t i = 0; i < cell->count; i++) {
        const struct peer *p = &c->peer[s->order[cell->first + i]];

        seen.state[words_state_of(c, p, now_us)]++;
        seen.tried += words_has_trial(p);
        if (p->heard_us)
            oldest_us = min_u64(oldest_us, p->heard_us);
        words_sums_add(&sums, &p->sample);
    }
    seen.utilisation = loads_thousandths(words_mean(sums.use, sums.uses));
    seen.paused = loads_thousandths(sums.pauses ? sums.paused_most : NAN);
    seen.metric = loads_thousandths(words_mean(sums.metric, sums.metrics));
    seen.cnps = sums.counts_cnps ? loads_two_digits(sums.cnps) : -1;
    if (oldest_us != UINT64_MAX)
        seen.age_s = (int64_t)((now_us - min_u64(oldest_us, now_us)) / 1000000);
    return seen;
}

void cells_look(struct cells *s, const struct controller *c, uint64_t now_us)
{
    s->look++;
    if (c->peers != s->devices || c->roster != s->roster)
        arrange(s, c);
    for (uint32_t i = 0; i < s->count; i++) {
        struct cell_seen seen = see(s, &s->cell[i], c, now_us);

        if (memcmp(&seen, &s->cell[i].seen, sizeof seen) == 0)
            continue;
        s->cell[i].seen = seen;
        s->cell[i].changed = s->look;
    }
}

/* ---- as JSON ---- */

json_t *cells_json(const struct cells *s, const struct controller *c)
{
    json_t *names = json_array();

    for (const struct cell *cell = s->cell; cell < s->cell + s->count; cell++)
        json_array_append_new(names, json_pack(
            "[o, o, I, I]", json_of_text(c->peer[s->order[cell->first]].name),
            json_of_text(c->peer[s->order[cell->first + cell->count - 1]].name), (json_int_t)cell->first,
            (json_int_t)cell->count));
    return json_pack("{s:I, s:o}", "version", (json_int_t)s->version, "names", names);
}

static json_t *row_of(uint32_t i, const struct cell_seen *v)
{
    int64_t value[7 + STATES] = { i, v->utilisation, v->paused, v->metric, v->cnps, v->age_s, v->tried };

    for (int k = 0; k < STATES; k++)
        value[7 + k] = v->state[k];
    return loads_row(json_array(), value, 7 + STATES);
}

json_t *cells_changes(const struct cells *s, uint64_t since)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < s->count; i++)
        if (s->cell[i].changed > since)
            json_array_append_new(rows, row_of(i, &s->cell[i].seen));
    if (json_array_size(rows))
        return json_pack("{s:I, s:o}", "version", (json_int_t)s->version, "cells", rows);
    json_decref(rows);
    return NULL;
}

json_t *cells_page(const struct cells *s, const struct controller *c, uint32_t first, uint64_t now_us)
{
    json_t *list = json_array();

    for (uint32_t i = first; i < s->devices && i - first < CELLS_PAGE; i++)
        json_array_append_new(list, state_json_device(c, &c->peer[s->order[i]], now_us));
    return json_pack("{s:I, s:I, s:o}", "first", (json_int_t)first, "total", (json_int_t)s->devices,
                     "devices", list);
}
