/* tests/fuzz/fuzz_model.c - for any input of model_parse(), an accepted model is valid.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I src tests/fuzz/fuzz_model.c \
 *       src/base/nets/{model,model_format,model_json,model_read,net,tanh}.c \
 *       src/base/{text,err,rng}.c -ljansson -lm
 *
 * Each input is tried as it is and, since a fuzzer hardly finds a checksum, again with corrected length and
 * checksum.
 */
#include "base/nets/model.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROMISE(holds) ((holds) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #holds), abort()))
#define HEADER_BYTES 12
#define CRC_BYTES    4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_refusal(const struct err *err)
{
    PROMISE(strncmp(err->text, "fuzz: ", 6) == 0);
    PROMISE(!strchr(err->text, '\n') && err->text[6]);
}

static void check_text(const char *text)
{
    for (; *text; text++)
        PROMISE((unsigned char)*text >= ' ' && *text != 127);
}

/* Writing an accepted model yields the same bytes. */
static void check_same(const struct model *m, const uint8_t *data, size_t size)
{
    size_t length;
    char *bytes;

    PROMISE(model_encode(m, "fuzz", &bytes, &length, NULL) == 0);
    PROMISE(length == size && memcmp(bytes, data, size) == 0);
    free(bytes);
}

static void check_model(const struct model *m)
{
    char *json;

    PROMISE(m->kind && *m->kind);
    PROMISE(m->body
                ? m->net.parameters == 0
                : !net_shape_flaw(&m->net.shape) && m->net.parameters == net_shape_parameters(&m->net.shape));
    for (uint32_t i = 0; i < m->net.parameters; i++)
        PROMISE(isfinite(m->net.parameter[i]));
    for (uint32_t i = 0; i < m->notes; i++) {
        check_text(m->note[i].key);
        check_text(m->note[i].value);
        PROMISE(model_get(m, m->note[i].key) == m->note[i].value);
    }
    json = model_to_json(m);
    PROMISE(*json == '{');
    free(json);
}

static void try(const uint8_t *data, size_t size)
{
    struct err err = { "" };
    struct model m;

    if (model_parse(&m, "fuzz", data, size, &err)) {
        check_refusal(&err);
        return;
    }
    check_model(&m);
    check_same(&m, data, size);
    model_fini(&m);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t crc32c(const uint8_t *data, size_t size)
{
    uint32_t crc = ~0u;

    for (size_t i = 0; i < 8 * size; i++) {
        crc ^= (uint32_t)(data[i / 8] >> i % 8 & 1);
        crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *mended;

    try(data, size);
    if (size < HEADER_BYTES + CRC_BYTES)
        return 0;
    mended = malloc(size);
    PROMISE(mended != NULL);
    memcpy(mended, data, size);
    memcpy(mended, data[7] == 2 ? "ANOLENN\2" : "ANOLENN\1", 8);
    put_u32(mended + 8, (uint32_t)size);
    put_u32(mended + size - CRC_BYTES, crc32c(mended, size - CRC_BYTES));
    try(mended, size);
    free(mended);
    return 0;
}
