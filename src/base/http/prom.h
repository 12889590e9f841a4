/* src/base/http/prom.h - writes metrics in the Prometheus text format, version 0.0.4.
 *
 *   prom_family(&p, "anole_agent_frozen", "gauge", "Whether nothing may be written.");
 *   prom_value(&p, 1, "device", name, NULL);
 *
 * yields
 *
 *   # HELP anole_agent_frozen Whether nothing may be written.
 *   # TYPE anole_agent_frozen gauge
 *   anole_agent_frozen{device="host1/mlx5_0"} 1
 */
#ifndef BASE_HTTP_PROM_H
#define BASE_HTTP_PROM_H

#include <stdio.h>

struct prom { FILE *out; char *text; const char *family; };

void prom_init(struct prom *);

/* Starts a family. Its values must follow directly. 'name' must stay valid until the next family. */
void prom_family(struct prom *, const char *name, const char *type, const char *help);

/* Takes pairs of label and value, terminated by NULL. Values are escaped. */
void prom_value(struct prom *, double value, ...) __attribute__((sentinel));

/* Writes a family with a single value and no labels. */
void prom_one(struct prom *, const char *name, const char *type, const char *help, double value);

/* Returns the text, malloc'd, and resets the writer. */
char *prom_end(struct prom *);

#endif
