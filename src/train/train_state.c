/* src/train/train_state.c - the state of a training between rounds, in a file.
 *
 * "ANOLETRAIN2\n", the digest of the configuration, the numbers and arrays in the order of add_all(), and the
 * digest of everything before. The file is in native byte order: it is meant for resuming on the same
 * machine.
 */
#include "base/digest.h"
#include "base/text.h"
#include "base/file/outfile.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC     "ANOLETRAIN2\n"
#define BYTES_MAX (1u << 30)
#define HEX       32

void train_state_init(struct train_state *s, const struct dqn_cfg *cfg, const char *config)
{
    *s = (struct train_state){ .best_score = INFINITY };
    snprintf(s->config, sizeof s->config, "%s", config);
    dqn_init(&s->dqn, cfg);
    net_init(&s->smooth, &cfg->shape);
    net_init(&s->best, &cfg->shape);
    net_copy(&s->smooth, &s->dqn.online);
    net_copy(&s->best, &s->dqn.online);
}

void train_state_fini(struct train_state *s)
{
    dqn_fini(&s->dqn);
    net_fini(&s->smooth);
    net_fini(&s->best);
    *s = (struct train_state){ 0 };
}

/* ---- serialization, both directions ---- */

struct byte_stream {
    FILE       *out;             /* writing */
    const char *in;              /* reading */
    size_t      left;
    bool        is_short;
};

static void add_bytes(struct byte_stream *r, void *bytes, size_t length)
{
    if (r->out) {
        fwrite(bytes, 1, length, r->out);
        return;
    }
    if (length > r->left) {
        r->is_short = true;
        return;
    }
    memcpy(bytes, r->in, length);
    r->in += length;
    r->left -= length;
}

static void add_net(struct byte_stream *r, struct net *n)
{
    add_bytes(r, n->parameter, n->parameters * sizeof(float));
}

static void add_all(struct byte_stream *r, struct train_state *s)
{
    struct dqn *d = &s->dqn;

    add_bytes(r, &s->generations, sizeof s->generations);
    add_bytes(r, &s->rule, sizeof s->rule);
    add_bytes(r, &s->rule_score, sizeof s->rule_score);
    add_bytes(r, s->last, sizeof s->last);
    add_bytes(r, &s->lasts, sizeof s->lasts);
    add_bytes(r, &s->is_run_off, sizeof s->is_run_off);
    add_bytes(r, &s->rounds, sizeof s->rounds);
    add_bytes(r, &s->best_score, sizeof s->best_score);
    add_bytes(r, &s->best_round, sizeof s->best_round);
    add_bytes(r, &s->has_statics, sizeof s->has_statics);
    add_bytes(r, s->statics, sizeof s->statics);
    add_net(r, &s->smooth);
    add_net(r, &s->best);
    add_net(r, &d->online);
    add_net(r, &d->target);
    add_bytes(r, &d->adam.beta1_power, sizeof d->adam.beta1_power);
    add_bytes(r, &d->adam.beta2_power, sizeof d->adam.beta2_power);
    add_bytes(r, d->adam.mean, d->adam.parameters * sizeof(float));
    add_bytes(r, d->adam.square, d->adam.parameters * sizeof(float));
    add_bytes(r, &d->rng, sizeof d->rng);
    add_bytes(r, &d->decisions, sizeof d->decisions);
    add_bytes(r, &d->updates, sizeof d->updates);
    add_bytes(r, &d->replay.count, sizeof d->replay.count);
    add_bytes(r, &d->replay.added, sizeof d->replay.added);
    if (d->replay.count > d->replay.capacity)
        r->is_short = true;
    else
        add_bytes(r, d->replay.record, (size_t)d->replay.count * d->replay.floats * sizeof(float));
}

/* ---- file ---- */

static void compute_digest(char text[DIGEST_TEXT_SIZE], const char *bytes, size_t length)
{
    struct digest d;

    digest_init(&d);
    digest_add(&d, bytes, length);
    digest_text(text, &d);
}

static void encode(const struct train_state *s, char **bytes, size_t *length)
{
    struct byte_stream r = { .out = open_memstream(bytes, length) };

    if (!r.out)
        die("out of memory");
    fputs(MAGIC, r.out);
    fwrite(s->config, 1, HEX, r.out);
    add_all(&r, (struct train_state *)s);    /* not modified when writing */
    fclose(r.out);
}

int train_state_save(const struct train_state *s, const char *path, struct err *err)
{
    char   digest[DIGEST_TEXT_SIZE], *bytes = NULL;
    size_t length = 0;
    int    rc;

    encode(s, &bytes, &length);
    compute_digest(digest, bytes, length);
    bytes = xrealloc(bytes, length + HEX);
    memcpy(bytes + length, digest, HEX);
    rc = outfile_write(path, bytes, length + HEX, err);
    free(bytes);
    return rc;
}

static int check_frame(const struct train_state *s, const char *name, const char *bytes, size_t length,
                       struct err *err)
{
    char digest[DIGEST_TEXT_SIZE];

    if (length < strlen(MAGIC) || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0)
        return err_set(err, EINVAL, "%s: not a training state of this version of anole", name);
    if (length < strlen(MAGIC) + 2ul * HEX)
        return err_set(err, EINVAL, "%s: the file is truncated; delete it to restart", name);
    compute_digest(digest, bytes, length - HEX);
    if (memcmp(digest, bytes + length - HEX, HEX) != 0)
        return err_set(err, EINVAL, "%s: the file is damaged; delete it to restart", name);
    if (memcmp(bytes + strlen(MAGIC), s->config, HEX) != 0)
        return err_set(err, EINVAL,
                       "%s: a training with other options; repeat those, or delete it to restart", name);
    return 0;
}

int train_state_parse(struct train_state *s, const char *name, const char *bytes, size_t length,
                      struct err *err)
{
    size_t     head = strlen(MAGIC) + HEX;
    int        rc = check_frame(s, name, bytes, length, err);
    struct byte_stream r = { .in = bytes + head, .left = rc ? 0 : length - head - HEX };

    if (rc)
        return rc;
    add_all(&r, s);
    if (r.is_short || r.left)
        return err_set(err, EINVAL, "%s: corrupt training state; delete it to restart", name);
    return 0;
}

int train_state_load(struct train_state *s, const char *path, bool *is_there, struct err *err)
{
    char  *bytes;
    size_t length;
    int    rc;

    rc = text_read_file(path, BYTES_MAX, &bytes, &length, err);
    *is_there = rc == 0;
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    rc = train_state_parse(s, path, bytes, length, err);
    free(bytes);
    return rc;
}
