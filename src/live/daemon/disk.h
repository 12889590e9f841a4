/* src/live/daemon/disk.h - a folder as the disk of a state machine: state that is there whole or not at
 * all, and the audit log. */
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
    uint32_t logs;               /* N of the last audit.N.jsonl; 0: there is none */
    off_t    log_bytes_max;
};

/* Opens a folder, makes it if it is not there, and holds a lock on it: nobody else can while this process
 * lives. Half a line at the end of the log, left by a kill, is cut off. 'audit' is where the log goes on.
 * -EBUSY: another process has the folder. After any other failure what is there can still be read, and what
 * is to be written is refused: a device can be brought back without a disk. */
int  disk_open(struct disk *, const char *folder, struct audit *, struct err *);
void disk_close(struct disk *);

/* Looks at the whole log. One that is damaged is set aside as audit.jsonl.damaged, and another begins.
 * Returns whether there was one, and what is wrong with it. Not part of disk_open(): devices are brought
 * back first. */
bool disk_mend_log(struct disk *, struct audit *, struct err *why);

struct io_disk disk_io(struct disk *);

/* Checks a log and, if it is an audit.jsonl, the files before it. Says what was checked in 'audit' and
 * 'records'. */
int disk_verify(const char *path, struct audit *, uint64_t *records, struct err *);

#endif
