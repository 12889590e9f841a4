/* src/base/file/outfile.h - one file of results that is there whole or not at all.
 *
 * As base/file/outdir.h for a single file at a place of the user's choice: written in a temporary folder beside it, and
 * renamed at the end.
 */
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
    struct scratch *scratch;     /* where it is until it is complete */
};

/* Refuses what is there and is not a regular file: renaming over /dev/stdout would do harm. */
int outfile_open(struct outfile *, const char *path, struct err *);

/* Checks that every write has succeeded, waits until all is on the disk, and closes; the file stays temporary.
 * Nothing to do if it was never opened. */
int outfile_close(struct outfile *, struct err *);

/* Puts a closed file into place. */
int outfile_commit(struct outfile *, struct err *);

/* All at once: a file with these bytes, on the disk when this returns. */
int outfile_write(const char *path, const void *bytes, size_t length, struct err *);

/* Removes the temporary file, if there is one. */
void outfile_abort(struct outfile *);

#endif
