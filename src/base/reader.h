/* src/base/reader.h - reads typed values from a YAML tree, with error messages.
 *
 * A reader keeps the first error. After an error, all functions do nothing, so callers check for errors once,
 * at the end. A section is a map of the file with tables of its keys (base/key.h). Unknown keys are refused
 * with the nearest known name. Defaults are in the rows and nowhere else.
 */
#ifndef BASE_READER_H
#define BASE_READER_H

#include "base/key.h"
#include "base/yaml.h"

#include <stdbool.h>
#include <stdint.h>

struct reader {
    const char        *name;     /* of the file, for messages */
    const char        *what;     /* kind of file, for messages: "a scenario" */
    bool               is_built; /* by a program (study/scenario/scenario_build.h): nodes have no lines */
    const char *const *set;      /* --set texts; a node with line 0 comes from set[column - 1] */
    struct err        *err;
    int                rc;       /* of the first error */
    char              *warnings; /* one per line, malloc'd; the caller prints and frees them; NULL: none */
    void             **memory;   /* of reader_alloc() */
    uint32_t           memories, memories_max;
};

/* Allocates zeroed memory that lives until reader_fini(). */
void *reader_alloc(struct reader *, size_t count, size_t bytes);
void  reader_fini(struct reader *);

struct section {
    struct reader            *r;
    const char               *name;          /* for messages: "host"; "": the file as a whole */
    const char               *kind;          /* for messages: "poisson" in "traffic poisson"; or NULL */
    const struct key_row     *own, *common;  /* keys of its kind, searched first, and of all kinds; or NULL */
    const struct yaml_node   *map;
    bool                      given_only;    /* missing keys leave their fields unchanged */
};

/* Records an error with the prefix "file:line:column: " or "--set x=y: ", unless there was one before. The
 * place is that of the node's value (NULL: start of the file), or with _key of its key. */
void reader_refuse(struct reader *, const struct yaml_node *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void reader_refuse_key(struct reader *, const struct yaml_node *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns such a prefix for later errors, malloc'd. */
char *reader_place(const struct reader *, uint32_t line, uint32_t column);

/* Adds a warning. */
void reader_warn(struct reader *, const char *text);

/* Records an error from reading another file, or a warning if rc > 0. If that file cannot be read at all, the
 * message starts with the place that names it. */
void reader_keep(struct reader *, int rc, const struct err *why, const struct yaml_node *);

/* Resolves the name of a file relative to the folder of the file 'base'; malloc'd. */
char *reader_path(const char *base, const char *file);

/* Reads a number without a key, such as an entry of a list. */
bool reader_count(struct reader *, const struct yaml_node *, const char *what, uint32_t min, uint32_t max,
                  uint32_t *count);

/* Opens a section and refuses unknown keys. 'tables' has all fields but reader and map. No map: empty. */
struct section section_open(struct reader *, const struct yaml_node *map, const struct section *tables);

/* Records the error of a failed check (rc is not 0). Returns true if there has been no error so far. */
bool section_check(const struct section *, int rc, const struct err *why);

/* Returns the value of a key, or NULL. _need: a missing key is an error. */
const struct yaml_node *section_get(const struct section *, const char *key);
const struct yaml_node *section_need(const struct section *, const char *key);

/* Refuses one of two keys if the other is missing. */
void section_need_both(const struct section *, const char *key, const char *other);

/* The place for error messages about a key: its value, or the whole map if it is missing. */
const struct yaml_node *section_place(const struct section *, const char *key);

/* Like reader_refuse(), at the place of a key. */
void section_refuse(const struct section *, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the first entry of a list of at most 'max'; NULL if the list is missing or empty. */
const struct yaml_node *section_list(const struct section *, const char *key, uint32_t max);

/* Adds copies of the texts of a list of at most 'max'. 'what' names them in messages: "names". */
void section_texts(const struct section *, const char *key, uint32_t max, const char *what, char **text,
                   uint32_t *count);

/* Reads all rows of a table that have a field into the struct 'into'. Missing keys take their initial value;
 * if that is "" or "model", the field is unchanged. */
void section_read(const struct section *, const struct key_row *table, void *into);

/* The same for one key whose row has no field, with bounds that depend on other values. */
void section_time(const struct section *, const char *key, uint64_t *ps);
void section_rate(const struct section *, const char *key, uint64_t *bps);
void section_bytes(const struct section *, const char *key, uint64_t min, uint64_t max, uint64_t *bytes);
void section_count(const struct section *, const char *key, uint32_t min, uint32_t max, uint32_t *count);
void section_real(const struct section *, const char *key, double min, double max, double *value);
void section_bool(const struct section *, const char *key, bool *value);

/* Returns the text of a scalar, or the initial value of its row, or NULL. */
const char *section_text(const struct section *, const char *key);

/* Path of the file that a key names, relative to the folder of this one; malloc'd. NULL: error. */
char *section_file(const struct section *, const char *key);

/* Index of the value in 'names'; -1: unknown (an error) or missing. 'what' is for messages: "a model". */
int section_choice(const struct section *, const char *key, const char *what, const char *const *names);

#endif
