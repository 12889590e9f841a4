/* src/study/serve/folder.h - the contents of a folder of results, including runs in progress.
 *
 * The folder is a single set of results (written by `anole run`, `compare` or `sweep`, or yet to be written),
 * or it contains many. Security: names from requests are only compared with directory entries, never used to
 * build paths, and symbolic links are not followed. Files outside are thus unreachable.
 */
#ifndef STUDY_SERVE_FOLDER_H
#define STUDY_SERVE_FOLDER_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct folder {
    char *base;                  /* folder to list */
    char *only;                  /* name of the only set of results in it; NULL: all */
};

/* 'path' need not exist yet if its parent does. */
int  folder_open(struct folder *, const char *path, struct err *);
void folder_fini(struct folder *);

/* Returns the name of a folder in 'base' that is similar to 'only', or NULL. The caller frees it. */
char *folder_nearest(const struct folder *);

/* Returns the current contents (interface Served of web/src/data.ts) as a new reference. */
json_t *folder_state(const struct folder *);

/* Reads a file of a set of results into malloc'd memory. Returns -ENOENT if it does not exist or is not a
 * regular file. */
int folder_read(const struct folder *, const char *item, const char *file, char **bytes, size_t *length);

/* Returns the columns of an intervals.csv (interface Series), thinned to 512 points; NULL: no rows yet. The
 * last line may be incomplete. */
json_t *folder_series(const char *csv, size_t length);

#endif
