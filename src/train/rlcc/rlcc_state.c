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

static void digest_of(char text[DIGEST_TEXT_SIZE], const char *bytes, size_t length)
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

/* What a training is, part by part, in the order of the file. */
struct part {
    void  *at;
    size_t bytes;
};

#define PARTS_MAX 9

static uint32_t parts_of(struct rlcc_train *t, struct part part[PARTS_MAX])
{
    bool         is_trees = t->request.body == POLICY_TREES;
    struct adam *a = is_trees ? &t->trees.adam : &t->adpg.adam;
    size_t       each = a->parameters * sizeof(float);
    uint32_t     n = 0;

    part[n++] = (struct part){ &t->updates, sizeof t->updates };
    part[n++] = (struct part){ &a->beta1_power, sizeof a->beta1_power };
    part[n++] = (struct part){ &a->beta2_power, sizeof a->beta2_power };
    part[n++] = (struct part){ is_trees ? t->trees.parameter : t->adpg.parameter, each };
    part[n++] = (struct part){ a->mean, each };
    part[n++] = (struct part){ a->square, each };
    if (is_trees) {
        part[n++] = (struct part){ &t->trees.shape, sizeof t->trees.shape };
        part[n++] = (struct part){ t->trees.visits, sizeof t->trees.visits };
        part[n++] = (struct part){ &t->trees.updates, sizeof t->trees.updates };
    }
    return n;
}

static size_t file_bytes(struct rlcc_train *t)
{
    struct part part[PARTS_MAX];
    uint32_t    parts = parts_of(t, part);
    size_t      bytes = head_bytes() + HEX;

    for (uint32_t i = 0; i < parts; i++)
        bytes += part[i].bytes;
    return bytes;
}

static char *put(char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

int rlcc_state_save(struct rlcc_train *t, struct err *err)
{
    size_t      length = file_bytes(t);
    char       *bytes = xmalloc(length), *at = bytes, digest[DIGEST_TEXT_SIZE];
    struct part part[PARTS_MAX];
    uint32_t    parts = parts_of(t, part);
    int         rc;

    at = put(at, MAGIC, strlen(MAGIC));
    at = put(at, t->config, HEX);
    for (uint32_t i = 0; i < parts; i++)
        at = put(at, part[i].at, part[i].bytes);
    digest_of(digest, bytes, (size_t)(at - bytes));
    put(at, digest, HEX);
    rc = outfile_write(t->state_path, bytes, length, err);
    free(bytes);
    return rc;
}

static int check_frame(struct rlcc_train *t, const char *name, const char *bytes, size_t length, struct err *err)
{
    char digest[DIGEST_TEXT_SIZE];

    if (length < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0)
        return err_set(err, EINVAL, "%s: this is not a training of rlcc by this version of anole", name);
    if (length < head_bytes() + HEX)
        return err_set(err, EINVAL, "%s: the file is cut short; remove it to begin anew", name);
    digest_of(digest, bytes, length - HEX);
    if (memcmp(digest, bytes + length - HEX, HEX) != 0)
        return err_set(err, EINVAL, "%s: the file is damaged; remove it to begin anew", name);
    if (memcmp(bytes + strlen(MAGIC), t->config, HEX) != 0)
        return err_set(err, EINVAL, "%s: a training in other worlds or with other options; give those again, or remove it "
                       "to begin anew", name);
    if (length != file_bytes(t))
        return err_set(err, EINVAL, "%s: the file does not hold what it should; remove it to begin anew", name);
    return 0;
}

/* Trees are walked as they stand: a shape that has a flaw is not taken over. */
static int check_shape(struct rlcc_train *t, const char *name, const char *at, struct err *err)
{
    struct part   part[PARTS_MAX];
    uint32_t      parts = parts_of(t, part);
    struct forest shape;
    const char   *flaw;

    for (uint32_t i = 0; i < parts && part[i].at != (void *)&t->trees.shape; i++)
        at += part[i].bytes;
    memcpy(&shape, at, sizeof shape);
    flaw = forest_flaw(&shape);
    return flaw ? err_set(err, EINVAL, "%s: the forest %s; remove the file to begin anew", name, flaw) : 0;
}

int rlcc_state_parse(struct rlcc_train *t, const char *name, const char *bytes, size_t length, struct err *err)
{
    const char *at = bytes + head_bytes();
    int         rc = check_frame(t, name, bytes, length, err);
    struct part part[PARTS_MAX];
    uint32_t    parts = parts_of(t, part);

    if (!rc && t->request.body == POLICY_TREES)
        rc = check_shape(t, name, at, err);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < parts; i++) {
        memcpy(part[i].at, at, part[i].bytes);
        at += part[i].bytes;
    }
    if (t->request.body == POLICY_TREES)
        tree_adpg_forest(&t->trees, &t->policy.trees);
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
