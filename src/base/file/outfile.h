/* src/base/file/outfile.h - writes a file, or a folder of results, atomically. */
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

/* Checks all writes, syncs to disk and closes; the file stays temporary. Not opened: does nothing. */
int outfile_close(struct outfile *, struct err *);

/* Moves a closed file into place. */
int outfile_commit(struct outfile *, struct err *);

/* If 'rc' is 0, closes the file and moves it into place, else removes it. Returns the first failure. */
int outfile_end(struct outfile *, int rc, struct err *);

/* Writes a whole file; it is on disk when this returns. */
int outfile_write(const char *path, const void *bytes, size_t length, struct err *);

/* Removes the temporary file, if any. */
void outfile_abort(struct outfile *);

/* ---- writes a folder of results atomically ----
 *
 * Files are written to a temporary folder next to the target and moved into place by outdir_commit(). If
 * anything fails before (an error, a full disk, Ctrl-C, kill), the target is unchanged. An existing folder is
 * replaced only if it is empty or the same command wrote it (base/file/scratch.h). This is checked at the
 * start, before hours of work, and again at the end. Replacing removes the files that the marker names. All
 * others (notes, plots) stay; a file that has the name of a new result becomes "NAME.before".
 */
struct outdir;

/* Creates the temporary folder, and removes those that killed runs left there (base/file/scratch.h). The
 * parent of 'path' must exist. 'kind' is the command, "anole run", and must outlive the outdir. On failure
 * *out is NULL. */
int outdir_open(struct outdir **out, const char *path, const char *kind, struct err *);

/* Opens a new file, owned by the outdir; the caller must not close it. Returns NULL and fills err on failure:
 * a name with a slash, a name used before, a full disk. */
FILE *outdir_file(struct outdir *, const char *name, struct err *);

/* Checks all writes, syncs, moves the folder into place, frees the outdir. On failure removes everything. */
int outdir_commit(struct outdir *, struct err *);

/* Removes everything and frees the outdir, which may be NULL. */
void outdir_abort(struct outdir *);

#endif
