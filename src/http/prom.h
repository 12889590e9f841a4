/* src/http/prom.h - metrics as Prometheus reads them: its text format, version 0.0.4.
 *
 *   prom_family(&p, "anole_agent_frozen", "gauge", "Whether nothing may be written.");
 *   prom_value(&p, 1, "device", name, NULL);
 *
 * gives
 *
 *   # HELP anole_agent_frozen Whether nothing may be written.
 *   # TYPE anole_agent_frozen gauge
 *   anole_agent_frozen{device="host1/mlx5_0"} 1
 */
#ifndef HTTP_PROM_H
#define HTTP_PROM_H

#include <stddef.h>

struct prom { char *text; size_t length, size; const char *family; };

void prom_init(struct prom *);

/* All values of a family follow each other. 'name' must stay as it is until the next. */
void prom_family(struct prom *, const char *name, const char *type, const char *help);

/* Pairs of label and value, ended by NULL; whatever is in a value is escaped. */
void prom_value(struct prom *, double value, ...) __attribute__((sentinel));

/* A family of one value without labels. */
void prom_one(struct prom *, const char *name, const char *type, const char *help, double value);

/* The text, malloc'd; it is the caller's now. */
char *prom_end(struct prom *);

#endif
