#include "train/rlcc/rlcc_train.h"

#include "base/io/clock.h"
#include "base/digest.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "base/nets/policy/policy_file.h"
#include "base/nets/policy/policy_story.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define GENERATION  1            /* of the procedure: increase it if a request gives other weights */
#define STEPS_MAX   8192u
#define PRINT_EVERY 20           /* updates */
#define SAVE_AGES   5            /* lifetimes of a world between two resume points */
#define STREAM      0x726c6363u

/* Worlds of the published training. */
static const char *const published[] = { "many_to_one:4_1", "many_to_one:8_1", "many_to_one:32_1",
                                         "all_to_all:4_16", "all_to_all:4_8" };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

const struct rlcc_request rlcc_initial = {
    .body = POLICY_MLP, .seed = 1, .updates = 1000, .warm_up = 50, .warm_steps = 1024, .steps = 15,
    .steps_most = 8000, .renew = 100, .mtu_bytes = 4096, .rate = 0.01, .rate_end = 0.02, .gamma = 0.99,
    .smoothing = 1,
};

/* ---- request ---- */

static char *request_text(const struct rlcc_train *t)
{
    const struct rlcc_request *q = &t->request;
    char *text;
    FILE *out = text_stream(&text);

    fprintf(out, "anole train rlcc --body %s --seed %" PRIu64 " --updates %u --warm-up %u --steps %u "
            "--renew %u --mtu %u --rate %.10g --rate-end %.10g --gamma %.10g --smoothing %.10g%s",
            policy_body_name[q->body], q->seed, q->updates, q->warm_up, q->steps, q->renew, q->mtu_bytes,
            q->rate, q->rate_end, q->gamma, q->smoothing, q->hides_history ? " --hide-history" : "");
    for (uint32_t i = 0; i < t->seats; i++)
        fprintf(out, " --world %s", t->seat[i].name);
    fclose(out);
    return text;
}

static int open_seats(struct rlcc_train *t, struct err *err)
{
    const struct rlcc_request *q = &t->request;
    uint32_t worlds = q->worlds ? q->worlds : COUNT(published);

    if (worlds > RLCC_WORLDS_MAX)
        return err_set(err, EINVAL, "%u worlds to learn in; at most %d", worlds, RLCC_WORLDS_MAX);
    for (uint32_t i = 0; i < worlds; i++) {
        struct rlcc_seat *seat = &t->seat[t->seats];
        int               rc = env_world_parse(&seat->world, q->worlds ? q->world[i] : published[i], err);

        if (rc)
            return rc;
        seat->world.mtu_bytes = q->mtu_bytes;
        env_world_name(seat->name, sizeof seat->name, &seat->world);
        t->seats++;
    }
    return 0;
}

static void open_policy(struct rlcc_train *t)
{
    const struct rlcc_request *q = &t->request;
    struct adpg_cfg            cfg = { .gamma = q->gamma > 0 ? q->gamma : -1,
                                       .smoothing = q->smoothing > 0 ? q->smoothing : -1,
                                       .adam = { .rate = q->rate } };
    struct rng                 rng;

    rng_init(&rng, q->seed, STREAM);
    if (q->body == POLICY_LSTM)
        policy_init_lstm(&t->policy, &rng);
    else
        policy_init_mlp(&t->policy, &rng);
    adpg_init(&t->adpg, &cfg, &t->policy, STEPS_MAX);
}

static void compute_config(struct rlcc_train *t)
{
    char         *text = request_text(t), number[32];
    struct digest d;

    snprintf(number, sizeof number, "generation %d ", GENERATION);
    digest_init(&d);
    digest_add_text(&d, number);
    digest_add_text(&d, text);
    digest_text(t->config, &d);
    free(text);
}

int rlcc_train_open(struct rlcc_train *t, const struct rlcc_request *request, struct err *err)
{
    *t = (struct rlcc_train){ .request = *request };
    if (!t->request.jobs)
        t->request.jobs = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
    int rc = open_seats(t, err);
    if (rc)
        return rc;
    open_policy(t);
    compute_config(t);
    t->state_path = xprintf("%s.state", request->out);
    return 0;
}

void rlcc_train_close(struct rlcc_train *t)
{
    rlcc_rollout_drop(t);
    if (t->state_path) {
        adpg_fini(&t->adpg);
        policy_fini(&t->policy);
    }
    free(t->state_path);
    free(t->state);
    free(t->delta);
    free(t->trajectory);
}

/* ---- the state file ---- */

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

struct resume_file rlcc_train_state(struct rlcc_train *t)
{
    return (struct resume_file){ "ANOLERLCC1\n", t->config, .state = t, .fields = add_all };
}

/* ---- progress ---- */

struct progress {
    struct rlcc_seen seen;       /* since the last line */
    uint32_t         updates, first;
    double           start_s;
};

static void print_line(const struct rlcc_train *t, struct progress *p, double loss)
{
    const struct rlcc_seen *s = &p->seen;
    double                  each_s = (((double)clock_us() / 1e6) - p->start_s) / (t->updates - p->first);

    printf("%7u %9.3f %12.3f %8.3f %8.1f us %8.3f %9.3f %9.0f s\n", t->updates, loss, s->reward / s->steps,
           s->share / p->updates, s->rtt_us / s->steps, s->delta / s->steps,
           policy_table_paper_distance(&t->policy), each_s * (t->request.updates - t->updates));
    fflush(stdout);
    p->seen = (struct rlcc_seen){ 0 };
    p->updates = 0;
}

/* ---- learning ---- */

/* Constant in the first half, then linear to the end value. */
static double current_rate(const struct rlcc_train *t)
{
    const struct rlcc_request *q = &t->request;
    double                     past = 2.0 * t->updates / q->updates - 1;

    return past <= 0 ? q->rate : q->rate * (1 - (1 - q->rate_end) * past);
}

static int run_update(struct rlcc_train *t, struct progress *p, struct err *err)
{
    int    rc = rlcc_rollout(t, &p->seen, err);

    if (rc)
        return rc;
    t->adpg.adam.cfg.rate = current_rate(t);
    double loss = adpg_update(&t->adpg, t->trajectory, t->trajectories);
    t->updates++;
    p->updates++;
    if (!t->request.is_quiet && (t->updates % PRINT_EVERY == 0 || t->updates == t->request.updates))
        print_line(t, p, loss);
    /* Worlds restart one after the other, so that experience comes from worlds of all ages. Periodically all
     * restart at once, which is a point to resume from. */
    uint32_t every = t->request.renew;
    if (t->updates % (SAVE_AGES * every) == 0) {
        rlcc_rollout_drop(t);
        return resume_save(rlcc_train_state(t), t->state_path, err);
    }
    for (uint32_t i = 0; i < t->seats; i++)
        if ((t->updates + i * every / t->seats) % every == 0)
            rlcc_rollout_end(t, i);
    return 0;
}

/* Resumes from the state file, or starts. */
static int load_or_start(struct rlcc_train *t, struct err *err)
{
    bool is_there;
    int  rc = resume_open(rlcc_train_state(t), t->state_path, &is_there, err);

    if (!rc && is_there && !t->request.is_quiet)
        printf("%s: resuming after %u updates\n", safe_name(t->state_path).buf, t->updates);
    return rc;
}

static int run_updates(struct rlcc_train *t, struct err *err)
{
    struct progress p = { .first = t->updates, .start_s = ((double)clock_us() / 1e6) };
    int             rc = 0;

    if (!t->request.is_quiet && t->updates < t->request.updates)
        printf(" update      loss       reward  goodput         RTT    delta  table VI   time left\n");
    while (!rc && t->updates < t->request.updates)
        rc = run_update(t, &p, err);
    return rc;
}

static int write_model(struct rlcc_train *t, struct err *err)
{
    char        *command = request_text(t), number[40];
    struct model m;

    policy_to_model(&t->policy, &m);
    model_put(&m, "command", command);
    snprintf(number, sizeof number, "%d", GENERATION);
    model_put(&m, "generation", number);
    snprintf(number, sizeof number, "%.4f", policy_table_paper_distance(&t->policy));
    model_put(&m, "table6", number);
    int rc = model_save(&m, t->request.out, err);
    if (!rc && t->request.json)
        rc = model_save_json(&m, t->request.json, err);
    model_fini(&m);
    free(command);
    return rc;
}

int rlcc_train_run(struct rlcc_train *t, struct err *err)
{
    int rc = load_or_start(t, err);

    if (!rc)
        rc = run_updates(t, err);
    if (!rc)
        rc = write_model(t, err);
    if (rc)
        return rc;
    unlink(t->state_path);
    if (t->request.is_quiet)
        return 0;
    rc = rlcc_check_print(stdout, &t->policy, t->request.updates < 100, err);
    if (!rc)
        printf("\n%s: an %s after %u updates\n", safe_name(t->request.out).buf,
               policy_body_name[t->policy.body], t->updates);
    return rc;
}
