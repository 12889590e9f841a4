/* src/base/reader.h - typed values out of a tree of keys, and what to say when they are wrong.
 *
 * A reader goes through the tree of a file (base/yaml.h). The first thing found wrong is kept in it, and from then
 * on every function here does nothing, so that callers look at the outcome once, at the end. A section is a map of
 * the file with the tables of keys that may stand in it: what is not in a table is refused with the nearest name
 * that is, and what a key means when it is not given stands in its row and nowhere else.
 */
#ifndef BASE_READER_H
#define BASE_READER_H

#include "base/key.h"
#include "base/yaml.h"

#include <stdbool.h>
#include <stdint.h>

struct reader {
    const char        *name;     /* of the file, for messages */
    const char        *what;     /* the file is, likewise: "a scenario" */
    const char *const *set;      /* texts of the command line: a node of line 0 comes from number 'column', from 1 */
    struct err        *err;
    int                rc;       /* of what was found wrong first */
    char              *warnings; /* a line each, malloc'd: the caller's to print and free; NULL: none */
};

struct section {
    struct reader            *r;
    const char               *name;          /* for messages: "host"; "": the file as a whole */
    const char               *kind;          /* likewise: "traffic poisson" has the kind poisson; or NULL */
    const struct key_row *own, *common;  /* keys of its kind, which come first, and of all kinds; or NULL */
    const struct yaml_node   *map;
    bool                      given_only;    /* what is not given is left as it is */
};

/* Puts "file:line:column: " (or "--set x=y: ") in front of a reason and keeps it, unless something was wrong
 * before. The place is that of the value; NULL: the start of the file. _key: that of its key. */
void reader_refuse(struct reader *, const struct yaml_node *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void reader_refuse_key(struct reader *, const struct yaml_node *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Such a place, for whoever finds something wrong later; malloc'd. */
char *reader_place(const struct reader *, uint32_t line, uint32_t column);

/* Adds a line to the warnings. */
void reader_warn(struct reader *, const char *text);

/* Keeps a reason that names another file, or if rc is positive a warning. If that file cannot be read at all, the place
 * where this one names it comes first. */
void reader_keep(struct reader *, int rc, const struct err *why, const struct yaml_node *);

/* A file named in the file 'base', relative to its folder; malloc'd. */
char *reader_path(const char *base, const char *file);

/* A number that stands by itself, such as an entry of a list. */
bool reader_count(struct reader *, const struct yaml_node *, const char *what, uint32_t min, uint32_t max,
                  uint32_t *count);

/* Opens what is made but for reader and map, and refuses keys that are not in its tables. A map of NULL or an empty
 * value counts as an empty map. */
struct section section_open(struct reader *, const struct yaml_node *map, const struct section *tables);

/* Refuses the reason of a check that has failed (rc is not 0). Returns whether nothing is wrong so far. */
bool section_check(const struct section *, int rc, const struct err *why);

/* The value of a key, or NULL; need: one that is missing is refused. */
const struct yaml_node *section_get(const struct section *, const char *key);
const struct yaml_node *section_need(const struct section *, const char *key);

/* Refuses one of two keys without the other. */
void section_need_both(const struct section *, const char *key, const char *other);

/* The value of a key, or the whole map if it is not given: where to point at. */
const struct yaml_node *section_place(const struct section *, const char *key);

/* The first entry of a list of at most 'max'; NULL if it is not given or empty. */
const struct yaml_node *section_list(const struct section *, const char *key, uint32_t max);

/* Adds copies of the texts of a list of at most 'max'; 'what' they are, for messages: "names". */
void section_texts(const struct section *, const char *key, uint32_t max, const char *what, char **text, uint32_t *count);

/* Writes the rows of a table that have a field into the struct 'into'. A key that is not given takes its initial value; if
 * that is "" or "model", the field stays as it is. */
void section_read(const struct section *, const struct key_row *table, void *into);

/* The same for one key without a field, with bounds that no row can know. */
void section_time(const struct section *, const char *key, uint64_t *ps);
void section_rate(const struct section *, const char *key, uint64_t *bps);
void section_bytes(const struct section *, const char *key, uint64_t min, uint64_t max, uint64_t *bytes);
void section_count(const struct section *, const char *key, uint32_t min, uint32_t max, uint32_t *count);
void section_real(const struct section *, const char *key, double min, double max, double *value);
void section_bool(const struct section *, const char *key, bool *value);

/* The text of a scalar, or of the table's initial value; NULL if there is neither. */
const char *section_text(const struct section *, const char *key);

/* The file that the key 'file' names, relative to the folder of this one; malloc'd. NULL: refused. */
char *section_file(const struct section *, const char *key);

/* Which of the names the value is; -1 if it is none of them (refused) or not given. 'what': "a model". */
int section_choice(const struct section *, const char *key, const char *what, const char *const *names);

#endif
