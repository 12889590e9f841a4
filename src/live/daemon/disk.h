/* src/live/daemon/disk.h - a folder as the disk of a state machine: state that is replaced atomically, and
 * the audit log. */
#ifndef LIVE_DAEMON_DISK_H
#define LIVE_DAEMON_DISK_H

#include "base/err.h"
#include "live/core/audit.h"
#include "live/core/io.h"

#define DISK_LOG       "audit.jsonl"

/* Then it becomes audit.N.jsonl, N one above the last, and another begins that follows it. */
#define DISK_LOG_BYTES (64ul << 20)

struct disk {
    char     folder[512];
    int      lock_fd, log_fd;
    bool     is_log_damaged;     /* nothing is added to it */
    uint32_t logs;               /* N of the last audit.N.jsonl; 0: none */
    off_t    log_bytes_max;
};

/* Opens or creates a folder and locks it for the life of this process. A torn line at the end of the log,
 * left by a kill, is cut off. 'audit' is the position at which the log continues. -EBUSY: another process has
 * the folder. After any other failure the existing state can still be read, and writes are refused: a device
 * can be restored without a disk. */
int  disk_open(struct disk *, const char *folder, struct audit *, struct err *);
void disk_close(struct disk *);

/* Verifies the complete log. A damaged log is renamed to audit.jsonl.damaged, and a new one begins. Returns
 * whether there was one, and its error. Separate from disk_open(), because devices are restored first. */
bool disk_mend_log(struct disk *, struct audit *, struct err *why);

struct io_disk disk_io(struct disk *);

/* Verifies a log and, if it is an audit.jsonl, the files before it. 'audit' and 'records' describe the
 * verified part. */
int disk_verify(const char *path, struct audit *, uint64_t *records, struct err *);

#endif
