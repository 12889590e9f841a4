/* src/base/nets/model.h - a file with a trained net or another trained object.
 *
 * Numbers are little-endian:
 *
 *   7 bytes   "ANOLENN"
 *   1 byte    version of this format: MODEL_VERSION, or MODEL_VERSION_BODY for what is not a net
 *   uint32    bytes of the whole file
 *   text      kind: the user of the model, such as "acc"
 *   text      notes, one "key=value" per line: the command that made it, seeds, ...
 *   uint32    inputs
 *   uint32    layers; for each: uint32 outputs, uint32 activation (net.h), uint32 1 if it has no biases or 0
 *   float32   parameters, in the order of net.h; all of them finite
 *   uint32    CRC-32C of everything before
 *
 * In MODEL_VERSION_BODY, a text, the body, replaces inputs, layers and parameters. Its meaning depends on the
 * kind (base/nets/policy/policy_file.h).
 *
 * A text is a uint32 length and the bytes. The encoding is canonical: reading and rewriting a model gives the
 * same file.
 */
#ifndef BASE_NETS_MODEL_H
#define BASE_NETS_MODEL_H

#include "base/err.h"
#include "base/nets/net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MODEL_VERSION   1
#define MODEL_VERSION_BODY 2
#define MODEL_BYTES_MAX (64u << 20)
#define MODEL_NOTES_MAX 256

struct model_note { char *key, *value; };

struct model {
    char              *kind;
    struct net         net;      /* empty if there is a body */
    unsigned char     *body;     /* malloc'd, or NULL */
    uint32_t           body_bytes;
    uint32_t           notes;
    struct model_note *note;
};

/* Creates a model with a copy of the net. Kinds and keys of notes consist of a-z, 0-9, '_' and '-'. */
void model_init(struct model *, const char *kind, const struct net *);
void model_init_body(struct model *, const char *kind, const void *body, uint32_t bytes);
void model_fini(struct model *);

/* Adds or replaces a note. Control characters in the value become '?'. */
void model_put(struct model *, const char *key, const char *value);

/* Returns the value, or NULL. */
const char *model_get(const struct model *, const char *key);

/* Writes the file atomically. Refuses parameters that are not finite. */
int model_save(const struct model *, const char *path, struct err *);

/* Writes the model as JSON for people; weights as one list per input, with all digits. */
int model_save_json(const struct model *, const char *path, struct err *);

/* Both fill the model only on success. 'name' precedes the reason in err. */
int model_load(struct model *, const char *path, struct err *);
int model_parse(struct model *, const char *name, const void *bytes, size_t length, struct err *);

/* Checks that the model is of this kind and, unless NULL, of this shape. */
int model_check(const struct model *, const char *name, const char *kind, const struct net_shape *,
                struct err *);

/* ---- numbers of bodies: the same functions write and read ---- */

struct model_codec {
    FILE                *out;    /* to write; NULL: reads */
    const unsigned char *at;
    size_t               left;
    const char          *name;   /* of the file, for messages */
    struct err          *err;
    int                  rc;     /* of the first error */
};

/* Writes the lowest bytes of a value and returns it, or reads and returns them; 0 after an error. */
uint32_t model_code_bytes(struct model_codec *, uint32_t value, uint32_t bytes);
uint32_t model_code(struct model_codec *, uint32_t value);       /* four bytes */
void     model_code_shape(struct model_codec *, struct net_shape *);
void     model_code_floats(struct model_codec *, float *, uint32_t count);

/* Records an error, unless there was one before. Returns the first one. */
int model_refuse(struct model_codec *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like model_save() and model_save_json(), into malloc'd memory. */
int model_encode(const struct model *, const char *name, char **bytes, size_t *length, struct err *);
char *model_to_json(const struct model *);

#endif
