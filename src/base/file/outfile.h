/* src/base/file/outfile.h - writes one file atomically: in a temporary folder next to it, renamed at the
 * end. */
#ifndef BASE_FILE_OUTFILE_H
#define BASE_FILE_OUTFILE_H

#include "base/err.h"

#include <stddef.h>
#include <stdio.h>

struct scratch;

struct outfile {
    FILE           *stream;      /* NULL: not open */
    const char     *shown;       /* as the user wrote it; must outlive the outfile */
    char           *target;
    struct scratch *scratch;     /* holds the file until it is complete */
};

/* Refuses an existing target that is not a regular file, such as /dev/stdout. */
int outfile_open(struct outfile *, const char *path, struct err *);

/* Checks all writes, syncs to disk and closes; the file stays temporary. Does nothing if it was never
 * opened. */
int outfile_close(struct outfile *, struct err *);

/* Moves a closed file into place. */
int outfile_commit(struct outfile *, struct err *);

/* Ends a file: if 'rc' is 0, closes it and moves it into place, else removes it. Returns the first
 * failure. */
int outfile_end(struct outfile *, int rc, struct err *);

/* Writes a whole file; it is on disk when this returns. */
int outfile_write(const char *path, const void *bytes, size_t length, struct err *);

/* Removes the temporary file, if any. */
void outfile_abort(struct outfile *);

#endif
