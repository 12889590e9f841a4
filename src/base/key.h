/* src/base/key.h - settings as rows: keys of files, and options of tuners.
 *
 * A row holds the name, unit, initial value, help, the field of a C struct that takes the value, and its
 * bounds. A table of rows feeds readers, messages, lists and reference pages, so a new setting is one row.
 * Rows without a field are read by code of their own: maps, lists, and values that depend on others.
 */
#ifndef BASE_KEY_H
#define BASE_KEY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A row leaves out the parts that it does not need; they are zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define KEY_TIME_PS_MAX 1000000000000000000ull           /* 1,000,000 s */

enum key_unit {
    KEY_NAME,                    /* one of 'choices', or any text */
    KEY_FILE,                    /* relative to the folder of the file that names it */
    KEY_YES,
    KEY_COUNT,                   /* a whole number */
    KEY_REAL,                    /* "0.3" or "30%" */
    KEY_TIME, KEY_RATE, KEY_BYTES,
    KEY_LIST, KEY_MAP,
};

enum key_type {
    KEY_NO_FIELD, KEY_BOOL, KEY_U8, KEY_U16, KEY_U32, KEY_U64, KEY_DOUBLE, KEY_TEXT, KEY_BORROWED,
};

struct key_field { size_t offset; enum key_type type; };
struct key_word { const char *word; uint64_t value; };

struct key_row {                 /* a table ends with a row whose name is NULL */
    const char            *name;
    enum key_unit          unit;
    const char            *initial;      /* as users write it; "": required or none; "model": by the model */
    const char            *about;        /* help, one line */
    struct key_field       at;
    double                 min, max;     /* in ps, bps or bytes; both 0: as much as the field holds */
    const char *const     *choices;      /* NULL-terminated; the value is the index. File: names of no file */
    const struct key_word *words;        /* words that stand for a number; the last has no word */
    uint64_t               per;          /* unit of the field, in ps, bps or bytes; 0: 1. Fractions are cut */
    const char            *like;         /* not given: as the row of that name, which comes before it */
    bool                   is_needed;    /* refused if it is missing */
};

/* The field of a row: KEY_AT(struct sim_cfg, mtu_bytes). A type that no row can write does not compile. */
#define KEY_AT(type, field) \
    .at = { offsetof(type, field), \
            _Generic(((type *)NULL)->field, bool: KEY_BOOL, uint8_t: KEY_U8, uint16_t: KEY_U16, \
                     uint32_t: KEY_U32, uint64_t: KEY_U64, double: KEY_DOUBLE, char *: KEY_TEXT, \
                     const char *: KEY_BORROWED) }

/* A list of words: .words = KEY_WORDS({ "none", 0 }, { "bdp", UINT64_MAX }) */
#define KEY_WORDS(...) (const struct key_word[]){ __VA_ARGS__, { NULL, 0 } }

struct key_value {
    uint64_t    whole;
    double      real;            /* of whole numbers, too */
    const char *text;            /* borrowed */
};

const char *key_unit_name(enum key_unit);        /* "time", "yes/no" */

/* The row of that name, or NULL. */
const struct key_row *key_find(const struct key_row *, const char *name);

/* Reads one value and checks its bounds. The reason has no place in front of it. */
int key_parse(const struct key_row *, const char *text, struct key_value *, struct err *);

/* Writes the value into the field of a row, if it has one. A field of type char * gets a copy of the text,
 * and its old value is freed. A field of type const char * borrows the text. */
void key_store(const struct key_row *, const struct key_value *, void *into);

/* The size of a row's field; 0: none, or a text. */
size_t key_bytes(const struct key_row *);

/* Copies the field of the row that 'like' names. */
void key_copy_like(const struct key_row *table, const struct key_row *, void *into);

/* Frees the texts of all fields of a table. */
void key_free_texts(const struct key_row *, void *into);

/* The initial value of a row, or NULL: required, none, or decided by the model. */
const char *key_initial(const struct key_row *);

/* A table of a reference page, in Markdown. */
void key_print_markdown(FILE *, const struct key_row *);

#endif
