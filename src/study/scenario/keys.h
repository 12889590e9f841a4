/* src/study/scenario/keys.h - the keys of all sections, except those of kinds of topology and traffic. */
#ifndef STUDY_SCENARIO_KEYS_H
#define STUDY_SCENARIO_KEYS_H

#include "base/reader.h"

#define SCENARIO_ENTRIES_MAX 1024u       /* of the lists of traffic, changes and links_down */

/* The sections; the last row has no name. Kinds of topology and traffic have their own tables. */
struct scenario_section {
    const char               *name;      /* "" (the whole), "host", "topology links_down" */
    const struct key_row *keys;
};

extern const struct scenario_section scenario_sections[];

const struct key_row *scenario_keys(const char *section);

/* Opens a section. */
struct section scenario_open(struct reader *, const struct yaml_node *map, const char *section);

#endif
