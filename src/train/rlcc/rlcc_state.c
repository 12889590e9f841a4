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

static size_t file_bytes(const struct rlcc_train *t)
{
    return head_bytes() + sizeof t->updates + 2 * sizeof(double) + 3ul * t->adpg.parameters * sizeof(float) + HEX;
}

static char *put(char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

int rlcc_state_save(const struct rlcc_train *t, struct err *err)
{
    size_t             length = file_bytes(t), each = t->adpg.parameters * sizeof(float);
    char              *bytes = xmalloc(length), *at = bytes, digest[DIGEST_TEXT_SIZE];
    const struct adam *a = &t->adpg.adam;
    int                rc;

    at = put(at, MAGIC, strlen(MAGIC));
    at = put(at, t->config, HEX);
    at = put(at, &t->updates, sizeof t->updates);
    at = put(at, &a->beta1_power, sizeof(double));
    at = put(at, &a->beta2_power, sizeof(double));
    at = put(at, t->adpg.parameter, each);
    at = put(at, a->mean, each);
    at = put(at, a->square, each);
    digest_of(digest, bytes, (size_t)(at - bytes));
    put(at, digest, HEX);
    rc = outfile_write(t->state_path, bytes, length, err);
    free(bytes);
    return rc;
}

static int check_frame(const struct rlcc_train *t, const char *name, const char *bytes, size_t length, struct err *err)
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

static const char *get(void *to, const char *at, size_t length)
{
    memcpy(to, at, length);
    return at + length;
}

int rlcc_state_parse(struct rlcc_train *t, const char *name, const char *bytes, size_t length, struct err *err)
{
    int          rc = check_frame(t, name, bytes, length, err);
    size_t       each = t->adpg.parameters * sizeof(float);
    struct adam *a = &t->adpg.adam;
    const char  *at = bytes + head_bytes();

    if (rc)
        return rc;
    at = get(&t->updates, at, sizeof t->updates);
    at = get(&a->beta1_power, at, sizeof(double));
    at = get(&a->beta2_power, at, sizeof(double));
    at = get(t->adpg.parameter, at, each);
    at = get(a->mean, at, each);
    get(a->square, at, each);
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
