/* src/live/core/audit.h - the audit log: decisions, their reasons and evidence, the values before and after.
 *
 * One JSON object per line. Every line holds the SHA-256 of the line before it ("prev") and ends with its own
 * ("hash"), over the rest of the line. This reveals lines that were changed, removed or inserted; a copy of
 * the last hash, kept elsewhere, also reveals a truncated log.
 *
 *   {"seq":7,"time":"2026-11-16T08:40:00.123Z","us":81234567,"who":"mlx5_0","what":"apply","term":3,
 *    "change":12,"why":"...","old":{"rpg_ai_rate":5},"new":{"rpg_ai_rate":50},"prev":"...","hash":"..."}
 *
 * A killed process may leave half a line at the end: see audit_resume_tail(). In a log of several files, the
 * first line of each follows the last line of the previous one.
 */
#ifndef LIVE_CORE_AUDIT_H
#define LIVE_CORE_AUDIT_H

#include "base/err.h"
#include "live/core/io.h"

#include <stdio.h>

#define AUDIT_HASH_SIZE 65       /* SHA-256: 64 hexadecimal digits and a zero byte */
#define AUDIT_LINE_SIZE 16384    /* room for three whole settings */

struct audit {                   /* where the chain is */
    uint64_t seq;                /* of the last line; 0: empty log */
    char     head[AUDIT_HASH_SIZE];         /* its hash */
    uint64_t lost;               /* records that could not be written since the last that was */
    bool     is_part;            /* of checks: earlier files are missing, so any first line will do */
};

struct audit_record {            /* fields that are NULL, 0 or "" are omitted */
    const char            *who, *what, *why, *evidence;
    uint64_t               term, change, now_us;
    const struct knob_set *old, *new, *seen;
};

void audit_init(struct audit *);

/* SHA-256 as hexadecimal digits; returns buf. */
char *audit_hash(char buf[AUDIT_HASH_SIZE], const char *text, size_t length);

/* Adds a record to the log; after a return of 0 it is on the disk. The next record after failures has their
 * number. */
int audit_write(struct audit *, const struct io_disk *, const struct audit_record *);

/* Continues a log of which only the end is known: checks the last whole line alone. Returns how many bytes
 * are whole lines; -EBADMSG: that line is damaged, or none begins in the text. */
long audit_resume_tail(struct audit *, const char *text, size_t length);

/* Returns whether the hash of a line matches, without its predecessor. */
bool audit_is_own(const char *line, size_t length);

/* Verifies one more file of a log; 'line' counts its lines. Returns NULL, or the error in that line. */
const char *audit_check_file(struct audit *, FILE *, uint64_t *line);

#endif
