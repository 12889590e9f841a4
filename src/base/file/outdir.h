/* src/base/file/outdir.h - results that are there whole or not at all.
 *
 * Files are written in a temporary folder beside the wanted one and moved into
 * place by outdir_commit(). Whatever happens before (an error, a full disk,
 * Ctrl-C, kill), the wanted folder is as it was. An existing folder is replaced only if it
 * was written by outdir (it holds the marker file ".anole") or is empty; that is checked when
 * the outdir is opened, before hours of work, and again at the end.
 */
#ifndef BASE_FILE_OUTDIR_H
#define BASE_FILE_OUTDIR_H

#include "base/err.h"

#include <stdio.h>

struct outdir;

/* Makes the temporary folder. Parents of 'path' must exist. On failure *out is NULL. */
int outdir_open(struct outdir **out, const char *path, struct err *);

/* Opens a new file for writing inside; owned by the outdir, not to be fclose()d by the caller.
 * NULL and err on failure: a name with a slash, a name used before, a full disk. */
FILE *outdir_file(struct outdir *, const char *name, struct err *);

/* Flushes, checks every write, moves the folder into place, frees. On failure all is removed. */
int outdir_commit(struct outdir *, struct err *);

/* Removes everything written; frees. NULL is fine. */
void outdir_abort(struct outdir *);

/* Removes the temporary folders of all open outdirs; async-signal-safe, for a handler of SIGINT
 * and SIGTERM that then ends the program: the outdirs can no longer be committed (-EINTR). */
void outdir_abort_all_on_signal(void);

#endif
