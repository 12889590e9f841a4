/* src/base/file/outdir.h - results that are there whole or not at all.
 *
 * Files are written in a temporary folder beside the wanted one and moved into
 * place by outdir_commit(). Whatever happens before (an error, a full disk,
 * Ctrl-C, kill), the wanted folder is as it was. An existing folder is replaced only if the same command wrote it
 * (its marker says so, base/file/marker.h) or it is empty; that is checked when the outdir is opened, before hours of
 * work, and again at the end. Of a folder that is replaced, the files that its marker names go; everything else (notes,
 * plots) stays in it, a file whose name a result now has as "NAME.before".
 */
#ifndef BASE_FILE_OUTDIR_H
#define BASE_FILE_OUTDIR_H

#include "base/err.h"

#include <stdio.h>

struct outdir;

/* Makes the temporary folder, and removes those that killed runs have left beside it (base/file/scratch.h). Parents
 * of 'path' must exist. 'kind' is the command, "anole run", and outlives it. On failure *out is NULL. */
int outdir_open(struct outdir **out, const char *path, const char *kind, struct err *);

/* Opens a new file for writing inside; owned by the outdir, not to be fclose()d by the caller.
 * NULL and err on failure: a name with a slash, a name used before, a full disk. */
FILE *outdir_file(struct outdir *, const char *name, struct err *);

/* Checks every write, waits until all is on the disk, moves the folder into place, frees. On failure all is removed. */
int outdir_commit(struct outdir *, struct err *);

/* Removes everything written; frees. NULL is fine. */
void outdir_abort(struct outdir *);

#endif
