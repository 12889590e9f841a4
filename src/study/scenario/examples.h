/* src/study/scenario/examples.h - finds the scenarios that ship with Anole.
 *
 * Searches $ANOLE_SCENARIOS, then PREFIX/share/anole/scenarios relative to the program, then the source
 * tree. */
#ifndef STUDY_SCENARIO_EXAMPLES_H
#define STUDY_SCENARIO_EXAMPLES_H

#include "base/err.h"

#include <stdint.h>

struct example { char *name, *about; };      /* "incast", the first sentence of its comment */

/* Returns the number of examples, sorted by name. Free *list with examples_free(). */
uint32_t examples_list(struct example **list);
void     examples_free(struct example *list, uint32_t count);

/* Returns the path of an example, or NULL. The caller frees it. */
char *examples_find(const char *name);

/* Returns 'path' if it is "-", a file, or a path with a folder; otherwise the path of the example of that
 * name. NULL: there is none, an error. The caller frees it. */
char *examples_path(const char *path, struct err *);

/* Returns the example name most similar to 'name', with or without ".yaml", or NULL. The caller frees it. */
char *examples_nearest(const char *name);

#endif
