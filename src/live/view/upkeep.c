#include "live/view/upkeep.h"

#include "base/err.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S    86400.0
#define START_US 10000000u               /* agents of a controller that starts need a while */

void upkeep_init(struct upkeep *w, const struct inventory *inventory)
{
    *w = (struct upkeep){ .inventory = inventory, .own_days = NAN, .least_days = NAN, .told_own = INT_MAX,
                         .told_least = INT_MAX };
}

/* ---- what is expected ---- */

#define INVENTORY_MAX 1000000

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void inventory_read(const struct section *s, struct inventory *all)
{
    const struct yaml_node *list = section_get(s, "inventory");

    *all = (struct inventory){ .name = xcalloc(list ? list->count + 1ul : 1, sizeof *all->name) };
    for (const struct yaml_node *n = section_list(s, "inventory", INVENTORY_MAX); n && !s->r->rc;
         n = n->next) {
        if (n->kind != YAML_SCALAR || !strchr(n->text, '/') || strchr(n->text, '*') ||
            strlen(n->text) >= MSG_NAME_SIZE)
            reader_refuse(s->r, n, "inventory is a list of devices: HOST/DEVICE");
        else
            all->name[all->count++] = xstrdup(n->text);
    }
    qsort(all->name, all->count, sizeof *all->name, by_name);
    for (uint32_t i = 1; i < all->count && !s->r->rc; i++)
        if (strcmp(all->name[i - 1], all->name[i]) == 0)
            reader_refuse(s->r, list, "inventory has %s twice", all->name[i]);
}

void inventory_fini(struct inventory *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        free(all->name[i]);
    free(all->name);
    *all = (struct inventory){ 0 };
}

/* ---- devices ---- */

static bool is_expected(const struct inventory *all, const char *name)
{
    uint32_t low = 0, high = all->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int      order = strcmp(name, all->name[middle]);

        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static void count_devices(struct upkeep *w, const struct upkeep_at *at)
{
    const struct inventory  *all = w->inventory;
    const struct controller *c = at->controller;

    w->missing = w->unexpected = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct peer *p = roster_find(c, all->name[i]);

        if (p && p->reported && roster_is_fresh(c, p, at->now_us))
            continue;
        if (!w->missing++)
            snprintf(w->missing_name, sizeof w->missing_name, "%s", all->name[i]);
    }
    for (const struct peer *p = c->peer; p < c->peer + c->peers && all->count; p++)
        if (roster_is_fresh(c, p, at->now_us) && !is_expected(all, p->name) && !w->unexpected++)
            snprintf(w->unexpected_name, sizeof w->unexpected_name, "%s", p->name);
}

/* ---- certificates ---- */

/* One that was replaced by another name, long ago, is of no interest. */
static bool is_of_interest(const struct account *a, const struct controller *c)
{
    if (a->connections)
        return true;
    for (const struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (!p->has_left && account_speaks_for(a, p->name))
            return true;
    return false;
}

static void mark_expired(const struct account *a, const struct upkeep_at *at)
{
    struct controller *c = at->controller;

    for (struct peer *p = c->peer; p < c->peer + c->peers; p++)
        if (account_speaks_for(a, p->name))
            p->is_expired = a->ends_s <= at->wall_s;
}

static void count_certificates(struct upkeep *w, const struct upkeep_at *at)
{
    w->own_days = at->own_ends_s ? (double)(at->own_ends_s - at->wall_s) / DAY_S : NAN;
    w->least_days = NAN;
    w->ending = w->ended = 0;
    for (struct peer *p = at->controller->peer; p < at->controller->peer + at->controller->peers; p++)
        p->is_expired = false;
    for (const struct account *a = at->accounts ? at->accounts->first : NULL; a; a = a->next) {
        double days = a->ends_s ? (double)(a->ends_s - at->wall_s) / DAY_S : NAN;

        if (isnan(days) || (days < UPKEEP_SOON_DAYS && !is_of_interest(a, at->controller)))
            continue;
        w->ending += days < UPKEEP_SOON_DAYS;
        w->ended += days <= 0;
        if (days <= 0)
            mark_expired(a, at);
        if (isnan(w->least_days) || days < w->least_days) {
            w->least_days = days;
            snprintf(w->least_name, sizeof w->least_name, "%s", account_name(a));
        }
    }
}

/* ---- the journal ---- */

typedef void (*log_fn)(void *, const char *);

static void tell_devices(struct upkeep *w, log_fn log, void *arg)
{
    char line[2 * MSG_NAME_SIZE + 80];

    if (w->missing > w->told_missing) {
        snprintf(line, sizeof line, "missing: %u of %u expected devices do not report, such as %s",
                 w->missing, w->inventory->count, w->missing_name);
        log(arg, line);
    } else if (!w->missing && w->told_missing) {
        snprintf(line, sizeof line, "all %u expected devices report", w->inventory->count);
        log(arg, line);
    }
    w->told_missing = w->missing;
}

/* Once a day, from UPKEEP_SOON_DAYS on. */
static void tell_days(const char *whose, double days, int *told, log_fn log, void *arg)
{
    int  whole = isnan(days) || days >= UPKEEP_SOON_DAYS ? INT_MAX : (int)floor(days);
    char line[200];

    if (whole == *told)
        return;
    *told = whole;
    if (whole == INT_MAX)
        return;
    if (whole < 0)
        snprintf(line, sizeof line, "expired: the certificate of %s ended %.0f days ago", whose,
                 floor(-days));
    else
        snprintf(line, sizeof line, "the certificate of %s ends in %d days", whose, whole);
    log(arg, line);
}

void upkeep_look(struct upkeep *w, const struct upkeep_at *at, log_fn log, void *arg)
{
    const struct controller *c = at->controller;

    count_certificates(w, at);
    tell_days("this controller", w->own_days, &w->told_own, log, arg);
    tell_days(w->least_name, w->least_days, &w->told_least, log, arg);
    if (c->role == ROLE_GATHER || at->now_us < c->started_us + c->cfg->gather_us + START_US)
        return;
    count_devices(w, at);
    w->has_looked = true;
    tell_devices(w, log, arg);
}

/* ---- status and metrics ---- */

static double known(const struct upkeep *w, uint32_t count)
{
    return w->inventory->count && w->has_looked ? (double)count : (double)NAN;
}

static json_t *known_json(const struct upkeep *w, uint32_t count)
{
    return w->has_looked ? json_of_count(count) : json_null();
}

json_t *upkeep_inventory_json(const struct upkeep *w)
{
    if (!w->inventory->count)
        return json_null();
    return JSON_OF({ "expected", json_of_count(w->inventory->count) },
                   { "missing", known_json(w, w->missing) },
                   { "missing_example", json_of_text(w->missing ? w->missing_name : "") },
                   { "unexpected", known_json(w, w->unexpected) },
                   { "unexpected_example", json_of_text(w->unexpected ? w->unexpected_name : "") });
}

json_t *upkeep_certificates_json(const struct upkeep *w)
{
    if (isnan(w->own_days))
        return json_null();
    return JSON_OF({ "own_days", json_of_number(w->own_days) },
                   { "least_days", json_of_number(w->least_days) },
                   { "least_name", json_of_text(isnan(w->least_days) ? "" : w->least_name) },
                   { "ending", json_of_count(w->ending) }, { "ended", json_of_count(w->ended) });
}

void upkeep_metrics(struct prom *p, const struct upkeep *w)
{
    prom_one(p, "anole_controller_devices_expected", "gauge", "Devices of the inventory.",
             w->inventory->count);
    prom_one(p, "anole_controller_devices_missing", "gauge", "Of these, devices that do not report.",
             known(w, w->missing));
    prom_one(p, "anole_controller_devices_unexpected", "gauge",
             "Devices that report and are not in the inventory.", known(w, w->unexpected));
    prom_one(p, "anole_controller_certificate_seconds", "gauge", "Time until its own certificate ends.",
             w->own_days * DAY_S);
    prom_one(p, "anole_controller_peer_certificate_seconds", "gauge",
             "Time until the first certificate of an agent, relay or operator ends.", w->least_days * DAY_S);
    prom_one(p, "anole_controller_peer_certificates_ending", "gauge",
             "Of agents, relays and operators: certificates that end within 30 days.", w->ending);
}
