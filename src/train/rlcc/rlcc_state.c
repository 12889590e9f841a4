#include "train/rlcc/rlcc_state.h"

#include "base/digest.h"
#include "base/file/outfile.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC     "ANOLERLCC1\n"
#define HEX       32
#define BYTES_MAX (1u << 24)

static void compute_digest(char text[DIGEST_TEXT_SIZE], const char *bytes, size_t length)
{
    struct digest d;

    digest_init(&d);
    digest_add(&d, bytes, length);
    digest_text(text, &d);
}

static size_t head_bytes(void)
{
    return strlen(MAGIC) + HEX;
}

/* The parts of a training, in the order of the file. */
struct state_part {
    void  *at;
    size_t bytes;
};

#define PARTS_MAX 6

static uint32_t list_parts(struct rlcc_train *t, struct state_part part[PARTS_MAX])
{
    struct adam *a = &t->adpg.adam;
    size_t       each = a->parameters * sizeof(float);
    uint32_t     n = 0;

    part[n++] = (struct state_part){ &t->updates, sizeof t->updates };
    part[n++] = (struct state_part){ &a->beta1_power, sizeof a->beta1_power };
    part[n++] = (struct state_part){ &a->beta2_power, sizeof a->beta2_power };
    part[n++] = (struct state_part){ t->adpg.parameter, each };
    part[n++] = (struct state_part){ a->mean, each };
    part[n++] = (struct state_part){ a->square, each };
    return n;
}

static size_t file_bytes(struct rlcc_train *t)
{
    struct state_part part[PARTS_MAX];
    uint32_t    parts = list_parts(t, part);
    size_t      bytes = head_bytes() + HEX;

    for (uint32_t i = 0; i < parts; i++)
        bytes += part[i].bytes;
    return bytes;
}

static char *put_bytes(char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

int rlcc_state_save(struct rlcc_train *t, struct err *err)
{
    size_t      length = file_bytes(t);
    char       *bytes = xmalloc(length), *at = bytes, digest[DIGEST_TEXT_SIZE];
    struct state_part part[PARTS_MAX];
    uint32_t    parts = list_parts(t, part);
    int         rc;

    at = put_bytes(at, MAGIC, strlen(MAGIC));
    at = put_bytes(at, t->config, HEX);
    for (uint32_t i = 0; i < parts; i++)
        at = put_bytes(at, part[i].at, part[i].bytes);
    compute_digest(digest, bytes, (size_t)(at - bytes));
    put_bytes(at, digest, HEX);
    rc = outfile_write(t->state_path, bytes, length, err);
    free(bytes);
    return rc;
}

static int check_frame(struct rlcc_train *t, const char *name, const char *bytes, size_t length,
                       struct err *err)
{
    char digest[DIGEST_TEXT_SIZE];

    if (length < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0)
        return err_set(err, EINVAL, "%s: this is not a training of rlcc by this version of anole", name);
    if (length < head_bytes() + HEX)
        return err_set(err, EINVAL, "%s: the file is truncated; delete it to restart", name);
    compute_digest(digest, bytes, length - HEX);
    if (memcmp(digest, bytes + length - HEX, HEX) != 0)
        return err_set(err, EINVAL, "%s: the file is damaged; delete it to restart", name);
    if (memcmp(bytes + strlen(MAGIC), t->config, HEX) != 0)
        return err_set(err, EINVAL,
                       "%s: a training in other worlds or with other options; repeat those, or delete it to "
                       "restart",
                       name);
    if (length != file_bytes(t))
        return err_set(err, EINVAL, "%s: corrupt training state; delete it to restart",
                       name);
    return 0;
}

int rlcc_state_parse(struct rlcc_train *t, const char *name, const char *bytes, size_t length,
                     struct err *err)
{
    const char *at = bytes + head_bytes();
    int         rc = check_frame(t, name, bytes, length, err);
    struct state_part part[PARTS_MAX];
    uint32_t    parts = list_parts(t, part);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < parts; i++) {
        memcpy(part[i].at, at, part[i].bytes);
        at += part[i].bytes;
    }
    return 0;
}

int rlcc_state_load(struct rlcc_train *t, bool *is_there, struct err *err)
{
    char  *bytes;
    size_t length;
    int    rc = text_read_file(t->state_path, BYTES_MAX, &bytes, &length, err);

    *is_there = rc == 0;
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    rc = rlcc_state_parse(t, t->state_path, bytes, length, err);
    free(bytes);
    return rc;
}
