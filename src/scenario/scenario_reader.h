/* src/scenario/scenario_reader.h - the parts of the scenario reader: for scenario*.c alone.
 *
 * A reader goes through the tree of a scenario file. The first thing found wrong is kept in it, and from
 * then on every function here does nothing, so that callers look at the outcome once, at the end. What a key
 * means when it is not given stands in scenario_keys[] and nowhere else.
 */
#ifndef SCENARIO_SCENARIO_READER_H
#define SCENARIO_SCENARIO_READER_H

#include "base/yaml.h"
#include "scenario/scenario.h"

#include <stdbool.h>

#define SCENARIO_TIME_PS_MAX  1000000000000000000ull     /* 1,000,000 s */
#define SCENARIO_ENTRIES_MAX  1024u      /* of the lists of traffic, changes and links_down */

struct scenario_reader {
    struct scenario     *s;
    const char          *name;           /* of the file, for messages */
    const char *const   *set;
    uint32_t             sets;
    struct yaml_doc      doc, *set_doc;  /* set_doc: the value of each --set */
    struct yaml_node   **made;           /* what --set added */
    uint32_t             made_count;
    bool                 has_seed;       /* somebody has chosen one */
    struct err          *err;
    int                  rc;             /* of what was found wrong first */
};

/* A map of the file and the rows of scenario_keys[] that may stand in it; own: those of its kind, or NULL. */
struct section {
    struct scenario_reader *r;
    const char             *common, *own;
    const struct yaml_node *map;
    bool                    given_only;  /* what is not given is left as it is */
};

/* Puts "file:line:column: " (or "--set x=y: ") in front of a reason and keeps it, unless something was wrong
 * before. The place is that of the value; NULL: the start of the file. _key: that of its key. */
void reader_refuse(struct scenario_reader *, const struct yaml_node *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void reader_refuse_key(struct scenario_reader *, const struct yaml_node *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Keeps a reason that names another file. If that file cannot be read at all, the place where the scenario
 * names it comes first. */
void reader_keep(struct scenario_reader *, int rc, const struct err *why, const struct yaml_node *);

/* "; did you mean 'x'?", or "" if no name is near. */
const char *reader_near(char *buf, size_t size, const char *word, const char *const *names);

/* Applies the --set texts to the tree. */
void reader_apply_sets(struct scenario_reader *);
void reader_fini(struct scenario_reader *);

/* A file named in the scenario, relative to the scenario's folder; malloc'd. */
char *reader_path(const char *base, const char *file);

/* Opens a map and refuses keys that are not in the table. NULL or an empty value counts as an empty map. */
struct section section_open(struct scenario_reader *, const struct yaml_node *map, const char *common,
                            const char *own);

/* The value of a key, or NULL; need: one that is missing is refused. */
const struct yaml_node *section_get(const struct section *, const char *key);
const struct yaml_node *section_need(const struct section *, const char *key);

/* The first entry of a list of at most 'max'; NULL if it is not given or empty. */
const struct yaml_node *section_list(const struct section *, const char *key, uint32_t max);

/* Each writes the value of a key, or the table's initial value; if that is "" or "model", nothing. A value
 * outside min .. max is refused. */
void section_time(const struct section *, const char *key, uint64_t *ps);
void section_rate(const struct section *, const char *key, uint64_t *bps);
void section_bytes(const struct section *, const char *key, uint64_t min, uint64_t max, uint64_t *bytes);
void section_count(const struct section *, const char *key, uint32_t min, uint32_t max, uint32_t *count);
void section_real(const struct section *, const char *key, double min, double max, double *value);
void section_bool(const struct section *, const char *key, bool *value);

/* The text of a scalar, or of the table's initial value; NULL if there is neither. */
const char *section_text(const struct section *, const char *key);

/* Which of the names the value is; -1 if it is none of them (refused) or not given. 'what': "a model". */
int section_choice(const struct section *, const char *key, const char *what, const char *const *names);

/* A number that stands by itself, such as an entry of a list. */
bool reader_count(struct scenario_reader *, const struct yaml_node *, const char *what, uint32_t min,
                  uint32_t max, uint32_t *count);

/* The pieces of a scenario, in the order they are read. */
void scenario_read_topology(struct scenario_reader *, const struct yaml_node *);
void scenario_check_links(struct scenario_reader *, const struct yaml_node *);
void scenario_read_links_down(struct scenario_reader *, const struct yaml_node *topology);
void scenario_read_hpcc(struct scenario_reader *, const struct yaml_node *); /* the network and the flows */
void scenario_use_model(struct scenario_reader *); /* what the model brings with it */
void scenario_read_settings(struct scenario_reader *, const struct yaml_node *root);
void scenario_read_monitor(struct scenario_reader *, const struct yaml_node *);
void scenario_read_tuner(struct scenario_reader *, const struct yaml_node *);
void scenario_tuner_fini(struct scenario_tuner *);
void scenario_read_traffic(struct scenario_reader *, const struct yaml_node *);

/* Adds an entry, called by its kind and its number among those of its kind until it has a name. */
struct scenario_traffic *scenario_add_entry(struct scenario *, const char *kind);

/* Adds the flows of a list. */
void scenario_read_flows(struct scenario_reader *, const struct yaml_node *, const char *path,
                         struct scenario_traffic *);

/* Returns the node called 'name', or -1. Faster than graph_find() for names that end in their number. */
int64_t scenario_find_node(const struct graph *, const char *name);

/* The link a host hangs on, by node. */
uint32_t *scenario_host_links(const struct graph *);

#endif
