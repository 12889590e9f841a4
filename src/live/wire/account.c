#include "live/wire/account.h"
#include "base/digest.h"
#include "base/err.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BURST_S 2                /* a bucket holds what comes in so many seconds */

static void account_free(struct account *a)
{
    free(a->device);
    free(a);
}

void accounts_fini(struct accounts *all)
{
    for (struct account *a = all->first, *next; a; a = next) {
        next = a->next;
        account_free(a);
    }
    all->first = NULL;
}

/* ---- who ---- */

/* Events of one that has just gone may still wait. What a certificate has used up stays used up. */
void accounts_tidy(struct accounts *all, uint64_t now_us)
{
    for (struct account **at = &all->first; *at;) {
        struct account *a = *at;

        if (!a->connections && !a->names.count && now_us > a->left_us + 5000000) {
            *at = a->next;
            account_free(a);
        } else
            at = &a->next;
    }
}

struct account *account_enter(struct accounts *all, const struct account_names *names, uint64_t now_us)
{
    const struct account_limits *l = &all->limits;
    struct account              *a = names->count ? all->first : NULL;

    while (a && memcmp(&a->names, names, sizeof *names) != 0)
        a = a->next;
    if (!a) {
        a = xcalloc(1, sizeof *a);
        *a = (struct account){ .next = all->first, .names = *names, .filled_us = now_us, .lines_us = now_us,
                               .messages = BURST_S * l->messages, .bytes = BURST_S * l->bytes,
                               .lines = l->lines };
        all->first = a;
    }
    if (a->connections >= l->connections) {
        a->over[ACCOUNT_CONNECTIONS]++;
        return NULL;
    }
    a->connections++;
    return a;
}

void account_leave(struct account *a, uint64_t now_us)
{
    a->connections--;
    a->left_us = now_us;
}

/* ---- how much ---- */

bool account_take(const struct accounts *all, struct account *a, size_t length, uint64_t now_us)
{
    const struct account_limits *l = &all->limits;
    double                       past_s = now_us > a->filled_us ? (double)(now_us - a->filled_us) / 1e6 : 0;

    a->messages = fmin(a->messages + past_s * l->messages, BURST_S * l->messages);
    a->bytes = fmin(a->bytes + past_s * l->bytes, BURST_S * l->bytes);
    a->filled_us = now_us;
    if (a->messages < 1 || a->bytes < (double)length) {
        a->over[ACCOUNT_MESSAGES]++;
        return false;
    }
    a->messages--;
    a->bytes -= (double)length;
    return true;
}

bool account_may_log(const struct accounts *all, struct account *a, uint64_t now_us)
{
    double past_min = now_us > a->lines_us ? (double)(now_us - a->lines_us) / 60e6 : 0;

    a->lines = fmin(a->lines + past_min * all->limits.lines, all->limits.lines);
    a->lines_us = now_us;
    if (a->lines < 1) {
        a->over[ACCOUNT_LINES]++;
        return false;
    }
    a->lines--;
    return true;
}

bool accounts_news(struct accounts *all, char *text, size_t size)
{
    static const char *const kinds[] = { "devices", "connections", "messages", "log lines" };

    for (struct account *a = all->first; a; a = a->next)
        for (int k = 0; k < ACCOUNT_KINDS && !a->is_named; k++)
            if (a->over[k]) {
                a->is_named = true;
                snprintf(text, size, "%s takes more than its budget of %s; what goes beyond is ignored",
                         a->names.count ? a->names.name[0] : "a process of this machine", kinds[k]);
                return true;
            }
    return false;
}

/* ---- names ---- */

const char *account_name(const struct account *a)
{
    return a && a->names.count ? a->names.name[0] : "";
}

bool account_is(const struct account *a, const char *name)
{
    for (uint32_t i = 0; i < a->names.count; i++)
        if (strcmp(a->names.name[i], name) == 0)
            return true;
    return false;
}

bool account_speaks_for(const struct account *a, const char *device)
{
    for (uint32_t i = 0; i < a->names.count; i++) {
        size_t length = strlen(a->names.name[i]);

        if (strncmp(device, a->names.name[i], length) == 0 && device[length] == '/')
            return true;
    }
    return !a->names.count;
}

bool account_has_room(struct account *a, uint32_t max, const char *device)
{
    struct digest d;

    digest_init(&d);
    digest_add_text(&d, device);
    uint64_t hash = (uint64_t)d.state;
    for (uint32_t i = 0; i < a->devices; i++)
        if (a->device[i] == hash)
            return true;
    if (a->devices >= max) {
        a->over[ACCOUNT_DEVICES]++;
        return false;
    }
    a->device = xrealloc(a->device, (a->devices + 1ul) * sizeof *a->device);
    a->device[a->devices++] = hash;
    return true;
}
