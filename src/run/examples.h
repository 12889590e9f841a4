/* src/run/examples.h - the scenarios that come with Anole: they lie in PREFIX/share/anole/scenarios, found from where the
 * program is, or beside the sources of a program that is not installed. The environment's ANOLE_SCENARIOS is looked at
 * first. */
#ifndef RUN_EXAMPLES_H
#define RUN_EXAMPLES_H

#include <stdint.h>

struct example { char *name, *about; };      /* "incast", the first sentence of its comment */

/* In the order of their names; *list is to be given back with examples_free(). */
uint32_t examples_list(struct example **list);
void     examples_free(struct example *list, uint32_t count);

/* The path of the one called so, to be freed; NULL: there is none. */
char *examples_find(const char *name);

/* The name that is most like 'name', or like it without ".yaml", to be freed; NULL: none is. */
char *examples_nearest(const char *name);

#endif
