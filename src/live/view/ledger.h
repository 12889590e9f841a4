/* src/live/view/ledger.h - the last lines of the audit log, in memory, for the page and `ctl`.
 *
 * It wraps the disk of a state machine and keeps a copy of each record that was written. So a watcher sees
 * records in order, only once they are on the disk, and can continue after any of them. */
#ifndef LIVE_VIEW_LEDGER_H
#define LIVE_VIEW_LEDGER_H

#include "base/json.h"
#include "live/core/io.h"

#define LEDGER_LINES 512

struct ledger {
    struct io_disk disk;                         /* the real one */
    char          *line[LEDGER_LINES];           /* a ring, without newlines */
    uint64_t       seq[LEDGER_LINES];
    uint64_t       count;                        /* lines ever added */
};

void ledger_fini(struct ledger *);

/* Adds the end of an existing log. Text that is not a record is skipped, such as half a line at the
 * beginning. */
void ledger_load(struct ledger *, const char *text, size_t length);

/* The end of a file, likewise. One that cannot be read holds nothing. */
void ledger_load_file(struct ledger *, const char *path);

/* A disk that does what 'real' does and keeps what is appended. */
struct io_disk ledger_disk(struct ledger *, const struct io_disk *real);

/* The first line after number 'seq'; its own is in *found. NULL: there is none. */
const char *ledger_after(const struct ledger *, uint64_t seq, uint64_t *found);

/* Number of the last line; 0: there is none. */
uint64_t ledger_last(const struct ledger *);

/* The last lines, at most 'max', as a list of objects. */
json_t *ledger_json(const struct ledger *, uint32_t max);

/* What was tried and what became of it, from those lines, the latest last: see docs/live.md. */
json_t *ledger_decisions(const struct ledger *);

#endif
