/* src/live/view/ledger.h - the last lines of the audit log, in memory, for the page and `ctl`.
 *
 * It gets a copy of each record that was written. So a watcher sees records in order, only once they are on
 * the disk, and can continue after any of them. */
#ifndef LIVE_VIEW_LEDGER_H
#define LIVE_VIEW_LEDGER_H

#include "base/json.h"

#include <stddef.h>
#include <stdint.h>

#define LEDGER_LINES 512

struct ledger {
    char          *line[LEDGER_LINES];           /* a ring, without newlines */
    uint64_t       seq[LEDGER_LINES];
    uint64_t       count;                        /* lines ever added */
};

void ledger_fini(struct ledger *);

/* Adds the end of an existing log. Text that is not a record, such as half a line, is skipped. */
void ledger_load(struct ledger *, const char *text, size_t length);

/* The end of a file, likewise. One that cannot be read holds nothing. */
void ledger_load_file(struct ledger *, const char *path);

/* on_line of a disk (live/core/io.h), with the ledger as its argument. */
void ledger_on_line(void *, const char *text, size_t length);

/* The first line after number 'seq'; its own is in *found. NULL: there is none. */
const char *ledger_after(const struct ledger *, uint64_t seq, uint64_t *found);

/* Number of the last line; 0: there is none. */
uint64_t ledger_last(const struct ledger *);

/* The last lines, at most 'max', as a list of objects. */
json_t *ledger_json(const struct ledger *, uint32_t max);

/* What was tried and what became of it, from those lines, the latest last: see docs/live.md. */
json_t *ledger_decisions(const struct ledger *);

#endif
