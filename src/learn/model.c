/* src/learn/model.c - models and their encoding. */
#include "learn/model.h"
#include "base/file/outfile.h"
#include "learn/model_format.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- notes ---- */

void model_init(struct model *m, const char *kind, const struct net *n)
{
    assert(model_is_word(kind, strlen(kind)));
    *m = (struct model){ .kind = xstrdup(kind) };
    net_init(&m->net, &n->shape);
    net_copy(&m->net, n);
}

void model_init_body(struct model *m, const char *kind, const void *body, uint32_t bytes)
{
    assert(model_is_word(kind, strlen(kind)));
    *m = (struct model){ .kind = xstrdup(kind), .body = xmalloc(bytes + 1), .body_bytes = bytes };
    memcpy(m->body, body, bytes);
}

void model_fini(struct model *m)
{
    for (uint32_t i = 0; i < m->notes; i++) {
        free(m->note[i].key);
        free(m->note[i].value);
    }
    free(m->note);
    free(m->kind);
    free(m->body);
    net_fini(&m->net);
    *m = (struct model){ 0 };
}

static struct model_note *find_note(const struct model *m, const char *key)
{
    for (uint32_t i = 0; i < m->notes; i++)
        if (strcmp(m->note[i].key, key) == 0)
            return &m->note[i];
    return NULL;
}

void model_put(struct model *m, const char *key, const char *value)
{
    struct model_note *note = find_note(m, key);
    char *copy = xstrdup(value);

    assert(model_is_word(key, strlen(key)));
    for (char *c = copy; *c; c++)
        *c = model_is_control(*c) ? '?' : *c;
    if (note) {
        free(note->value);
        note->value = copy;
        return;
    }
    assert(m->notes < MODEL_NOTES_MAX);
    m->note = xrealloc(m->note, (m->notes + 1) * sizeof(*m->note));
    m->note[m->notes++] = (struct model_note){ xstrdup(key), copy };
}

const char *model_get(const struct model *m, const char *key)
{
    const struct model_note *note = find_note(m, key);

    return note ? note->value : NULL;
}

/* ---- encoding ---- */

static void encode_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static void put_u32(FILE *f, uint32_t value)
{
    unsigned char bytes[4];

    encode_u32(bytes, value);
    fwrite(bytes, 1, 4, f);
}

static void put_text(FILE *f, const char *text, size_t length)
{
    put_u32(f, (uint32_t)length);
    fwrite(text, 1, length, f);
}

static void put_notes(FILE *f, const struct model *m)
{
    char *text = NULL;
    size_t length = 0;
    FILE *lines = open_memstream(&text, &length);

    if (!lines)
        die("no memory for the notes of a model");
    for (uint32_t i = 0; i < m->notes; i++)
        fprintf(lines, "%s=%s\n", m->note[i].key, m->note[i].value);
    fclose(lines);
    put_text(f, text, length);
    free(text);
}

static void put_net(FILE *f, const struct net *n)
{
    put_u32(f, n->shape.inputs);
    put_u32(f, n->shape.layers);
    for (uint32_t i = 0; i < n->shape.layers; i++) {
        put_u32(f, n->shape.layer[i].width);
        put_u32(f, n->shape.layer[i].activation);
        put_u32(f, n->shape.layer[i].is_unbiased);
    }
    for (uint32_t i = 0; i < n->parameters; i++) {
        uint32_t bits;

        memcpy(&bits, &n->parameter[i], sizeof(bits));
        put_u32(f, bits);
    }
}

int model_encode(const struct model *m, const char *name, char **bytes, size_t *length, struct err *err)
{
    int rc = model_check_finite(&m->net, name, err);
    FILE *f;

    if (rc)
        return rc;
    f = open_memstream(bytes, length);
    if (!f)
        die("no memory for a model");
    fprintf(f, "%s%c", MODEL_MAGIC, m->body ? MODEL_VERSION_BODY : MODEL_VERSION);
    put_u32(f, 0);               /* file size, filled in below */
    put_text(f, m->kind, strlen(m->kind));
    put_notes(f, m);
    if (m->body)
        put_text(f, (const char *)m->body, m->body_bytes);
    else
        put_net(f, &m->net);
    put_u32(f, 0);               /* checksum, filled in below */
    fclose(f);
    if (*length > MODEL_BYTES_MAX) {
        free(*bytes);
        return err_set(err, EFBIG, "%s: a model may have %u bytes; this one would have %zu", name,
                       MODEL_BYTES_MAX, *length);
    }
    encode_u32((unsigned char *)*bytes + MODEL_MAGIC_BYTES + 1, (uint32_t)*length);
    encode_u32((unsigned char *)*bytes + *length - MODEL_CRC_BYTES,
               model_crc((unsigned char *)*bytes, *length - MODEL_CRC_BYTES));
    return 0;
}

int model_save(const struct model *m, const char *path, struct err *err)
{
    char *bytes;
    size_t length;
    int rc = model_encode(m, path, &bytes, &length, err);

    if (rc)
        return rc;
    rc = outfile_write(path, bytes, length, err);
    free(bytes);
    return rc;
}
