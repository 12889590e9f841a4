/* src/base/file/outdir.h - writes a folder of results atomically.
 *
 * Files are written to a temporary folder next to the target and moved into place by outdir_commit(). If
 * anything fails before (an error, a full disk, Ctrl-C, kill), the target is unchanged. An existing folder is
 * replaced only if it is empty or the same command wrote it (base/file/scratch.h). This is checked at the
 * start, before hours of work, and again at the end. Replacing removes the files that the marker names. All
 * others (notes, plots) stay; a file that has the name of a new result becomes "NAME.before".
 */
#ifndef BASE_FILE_OUTDIR_H
#define BASE_FILE_OUTDIR_H

#include "base/err.h"

#include <stdio.h>

struct outdir;

/* Creates the temporary folder, and removes those that killed runs left there (base/file/scratch.h). The
 * parent of 'path' must exist. 'kind' is the command, "anole run", and must outlive the outdir. On failure
 * *out is NULL. */
int outdir_open(struct outdir **out, const char *path, const char *kind, struct err *);

/* Opens a new file, owned by the outdir; the caller must not close it. Returns NULL and fills err on failure:
 * a name with a slash, a name used before, a full disk. */
FILE *outdir_file(struct outdir *, const char *name, struct err *);

/* Checks all writes, syncs to disk, moves the folder into place, and frees the outdir. On failure removes
 * everything. */
int outdir_commit(struct outdir *, struct err *);

/* Removes everything and frees the outdir, which may be NULL. */
void outdir_abort(struct outdir *);

#endif
