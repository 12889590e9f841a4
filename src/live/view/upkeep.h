/* src/live/view/upkeep.h - what becomes trouble without a sound: devices that are expected and do not report,
 * and certificates that end. For status, metrics and the journal; nothing is decided by it. */
#ifndef LIVE_VIEW_UPKEEP_H
#define LIVE_VIEW_UPKEEP_H

#include "base/http/prom.h"
#include "base/json.h"
#include "base/reader.h"
#include "live/controller/roster.h"
#include "live/wire/account.h"

#define UPKEEP_SOON_DAYS 30               /* a certificate that ends before is named */

/* Devices that should be there. Sorted; names are owned. */
struct inventory { char **name; uint32_t count; };

/* The list 'inventory' of a configuration. */
void inventory_read(const struct section *, struct inventory *);
void inventory_fini(struct inventory *);

/* Where it looks, each time. accounts: of its peers; NULL: there are no certificates. */
struct upkeep_at {
    struct controller     *controller;   /* is_expired of its peers is set */
    const struct accounts *accounts;
    int64_t                own_ends_s;   /* its own certificate; 0: none */
    int64_t                wall_s;
    uint64_t               now_us;
};

struct upkeep {
    const struct inventory *inventory;   /* count 0: nothing is expected */
    bool     has_looked;
    uint32_t missing, unexpected;        /* expected, but not reporting; reporting, but not expected */
    char     missing_name[MSG_NAME_SIZE], unexpected_name[MSG_NAME_SIZE];        /* one of them */
    double   own_days;                   /* NAN: no certificate */
    double   least_days;                 /* of the peer whose certificate ends first; NAN: none has one */
    char     least_name[ACCOUNT_NAME_SIZE];
    uint32_t ending, ended;              /* peers: within UPKEEP_SOON_DAYS, and already */
    int      told_own, told_least;       /* days, in the last line about them */
    uint32_t told_missing, told_ended;
};

void upkeep_init(struct upkeep *, const struct inventory *);

/* Lines for the journal go to log(), each once. */
void upkeep_look(struct upkeep *, const struct upkeep_at *, void (*log)(void *, const char *line), void *arg);

json_t *upkeep_inventory_json(const struct upkeep *);      /* null: nothing is expected */
json_t *upkeep_certificates_json(const struct upkeep *);   /* null: there are none */
void    upkeep_metrics(struct prom *, const struct upkeep *);

#endif
