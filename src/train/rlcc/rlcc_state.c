#include "train/rlcc/rlcc_state.h"

#include "train/resume.h"

static void add_all(struct resume_file *r, void *state)
{
    struct rlcc_train *t = state;
    struct adam       *a = &t->adpg.adam;
    size_t             bytes = a->parameters * sizeof(float);

    resume_field(r, &t->updates, sizeof t->updates);
    resume_field(r, &a->beta1_power, sizeof a->beta1_power);
    resume_field(r, &a->beta2_power, sizeof a->beta2_power);
    resume_field(r, t->adpg.parameter, bytes);
    resume_field(r, a->mean, bytes);
    resume_field(r, a->square, bytes);
}

static struct resume_file file_of(const struct rlcc_train *t)
{
    return (struct resume_file){ .magic = "ANOLERLCC1\n", .config = t->config, .fields = add_all };
}

int rlcc_state_save(struct rlcc_train *t, struct err *err)
{
    struct resume_file f = file_of(t);

    return resume_save(&f, t, t->state_path, err);
}

int rlcc_state_parse(struct rlcc_train *t, const char *name, const char *bytes, size_t length,
                     struct err *err)
{
    struct resume_file f = file_of(t);

    return resume_parse(&f, t, name, bytes, length, err);
}

int rlcc_state_load(struct rlcc_train *t, bool *is_there, struct err *err)
{
    struct resume_file f = file_of(t);

    return resume_load(&f, t, t->state_path, is_there, err);
}
