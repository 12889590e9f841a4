/* src/base/file/scratch.h - a temporary folder for incomplete results.
 *
 * The folder ".anole-XXXXXX" is next to the target, so that a rename moves the results into place. Its
 * marker, the file ".anole", names the folder and its files. The owner locks the marker; the kernel releases
 * the lock when the process ends. scratch_open() removes the folders of killed runs, whose markers are not
 * locked: only the files that the marker names.
 *
 * In a folder of results, the marker's first line is the command that wrote it ("anole run"), and each
 * further line names a file. Files without a line belong to the user and are never removed. Markers of
 * version 0.1 are empty.
 */
#ifndef BASE_FILE_SCRATCH_H
#define BASE_FILE_SCRATCH_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MARKER_NAME ".anole"

struct marker {                  /* of a result folder: see above */
    char    *text;               /* the file, its lines cut apart */
    char    *kind;               /* first line, "anole run"; NULL: the marker is empty */
    char   **name;
    uint32_t names;
};

/* Reads the marker of the folder 'path'. Returns false, with an empty struct, if there is no marker. */
bool marker_read(struct marker *, const char *path);
void marker_fini(struct marker *);

/* True if 'name' in the folder 'path' is a regular file that the marker names, or the marker itself. */
bool marker_has(const struct marker *, const char *path, const char *name);

struct scratch;

/* Creates the folder next to 'place', after removing folders of killed runs. Creates missing folders above
 * it, too; scratch_remove() removes those that are empty. On failure *out is NULL; -EMFILE: too many are
 * open. */
int scratch_open(struct scratch **out, const char *place);

const char *scratch_path(const struct scratch *);

/* Opens a new file, owned by the scratch, called 'shown' in messages. NULL: see errno. */
FILE *scratch_file(struct scratch *, const char *name, const char *shown);

/* Closes all files. 0: they are on disk. The error names the first that was not written. */
int scratch_close(struct scratch *, struct err *);

/* Makes the caller the only owner. Returns false if a signal handler has already removed everything. */
bool scratch_take(struct scratch *);

/* Call this after scratch_take() and moving the folder to its target. Turns the marker into that of results
 * with 'kind' first, and frees the scratch. */
void scratch_leave(struct scratch *, const char *kind);

/* Prepares the results in 'old' to be replaced: its marker then allows to remove Anole's files in it once the
 * folder is at the scratch's path. No effect until then. Best effort. */
void scratch_condemn(const struct scratch *, const char *old, const struct marker *);

/* Removes condemned results from a scratch's path: Anole's files, and the folder if nothing else is in it.
 * Best effort; the next run can continue. */
void scratch_clean(const char *path);

/* Removes everything and frees the scratch, which may be NULL. */
void scratch_remove(struct scratch *);

/* Removes all open folders of this process; async-signal-safe, for a handler that then exits. */
void scratch_remove_all_on_signal(void);

/* Brings the folder itself to the disk: the names in it, not what is in the files. Best effort. */
void scratch_sync_folder(const char *path);

/* True if the folder contains at most a marker. 'at' is as for openat(). */
bool scratch_is_bare(int at, const char *path);

/* The folder in which 'path' is; the caller frees it. */
char *scratch_parent(const char *path);

#endif
