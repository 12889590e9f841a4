/* src/serve/folder.h - what lies in a folder of results, and what somebody is still writing there.
 *
 * Either one set of results (a folder that `anole run`, `compare` or `sweep` wrote or will write), or a folder that holds
 * many. Names that come from outside are only ever compared with names that were found by looking: no path is made of
 * them, and links are not followed. So nothing outside can be reached.
 */
#ifndef SERVE_FOLDER_H
#define SERVE_FOLDER_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct folder {
    char *base;                  /* where we look */
    char *only;                  /* the one set of results in it; NULL: all */
};

/* 'path' may not be there yet if its parent is: somebody is about to write it. */
int  folder_open(struct folder *, const char *path, struct err *);
void folder_fini(struct folder *);

/* What is there now (interface Served of web/src/data.ts). New. */
json_t *folder_state(const struct folder *);

/* Reads a file of a set of results into malloc'd memory. -ENOENT: there is none of that name, or it is no plain file. */
int folder_read(const struct folder *, const char *item, const char *file, char **bytes, size_t *length);

/* The columns of an intervals.csv that may end in the middle of a line (interface Series); NULL: nothing yet. At most 512
 * points are taken from it. */
json_t *folder_series(const char *csv, size_t length);

#endif
