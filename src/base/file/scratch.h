/* src/base/file/scratch.h - a temporary folder for results that are not complete yet.
 *
 * It is called ".anole-XXXXXX" and lies beside the place where the results will be, so that a rename puts them there.
 * Its marker, the file ".anole", names the folder and the files that were made in it. The owner holds a lock on the
 * marker; the kernel releases it when the process ends, whatever ended it. So what a killed run has left can be told
 * from what somebody still writes, and scratch_open() removes it: the files that the marker names, and nothing else.
 */
#ifndef BASE_FILE_SCRATCH_H
#define BASE_FILE_SCRATCH_H

#include "base/err.h"
#include "base/file/marker.h"

#include <stdbool.h>
#include <stdio.h>

#define SCRATCH_MARKER MARKER_NAME

struct scratch;

/* Makes the folder beside 'place', after removing what dead owners have left there. On failure *out is NULL and the
 * negative errno says why; -EMFILE: too many are open. */
int scratch_open(struct scratch **out, const char *place);

const char *scratch_path(const struct scratch *);

/* Opens a new file inside, owned by the scratch. 'shown' is what messages call it. NULL and errno on failure. */
FILE *scratch_file(struct scratch *, const char *name, const char *shown);

/* Closes every file; when this returns 0, all of them are on the disk. The first that could not be written whole is the
 * error. */
int scratch_close(struct scratch *, struct err *);

/* Makes the caller the only owner; false if a signal handler was first and has removed everything. */
bool scratch_take(struct scratch *);

/* The folder itself has become the results, at another place: its marker now says so (base/file/marker.h), 'kind' first.
 * Frees. Only after scratch_take(). */
void scratch_leave(struct scratch *, const char *kind);

/* Says in the marker of the folder 'old' that the files named in it, Anole's own, may be removed once the folder is found
 * at the scratch's place: for results that are about to be replaced. Until it is there, this means nothing. Best
 * effort. */
void scratch_condemn(const struct scratch *, const char *old, const struct marker *);

/* Removes everything and frees. NULL is fine. */
void scratch_remove(struct scratch *);

/* Removes the folders of all that are open in this process; async-signal-safe, for a handler that then ends the
 * program. */
void scratch_remove_all_on_signal(void);

/* Brings the folder itself to the disk: the names in it, not what is in the files. Best effort. */
void scratch_sync_folder(const char *path);

/* The folder in which 'path' is; the caller frees it. */
char *scratch_parent(const char *path);

#endif
