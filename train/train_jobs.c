/* train/train_jobs.c - training runs, each in its own process, and the scores of their results. */
#include "base/rng.h"
#include "base/text.h"
#include "study/campaign/pool.h"
#include "study/run/sim_world.h"
#include "study/run/simulation.h"
#include "train/train.h"
#include "tune/acc/acc.h"

#include <stdlib.h>
#include <string.h>

/* ---- one run ---- */

#define FILE_BYTES_MAX (64u << 20)

int train_read_file(const char *path, char **text, struct err *err)
{
    struct scenario s;
    size_t          length;
    int             rc = text_read_file(path, FILE_BYTES_MAX, text, &length, err);

    if (!rc)
        rc = scenario_parse(&s, path, *text, length, NULL, 0, NULL, err);
    if (!rc)
        scenario_fini(&s);
    return rc;
}

/* Attaches a tuner that explores to the simulation. */
static int attach_explorer(struct simulation *s, const struct train_job *j, struct replay *memory,
                           struct err *err)
{
    struct world world;
    struct loop  loop;

    sim_world_init(&world, s->sim, s->scenario.interval_ps);
    int rc = loop_open_with(&loop, &world, &tuner_acc, j->values, err);
    world_fini(&world);
    if (rc)
        return rc;
    acc_explore(&loop.tuner, &(struct acc_explorer){ j->net, j->is_by_rule ? &j->rule : NULL, j->epsilon,
                                                     j->hold, memory });
    simulation_lend(s, &loop);
    return 0;
}

static void write_found(const struct simulation *s, const struct train_job *j, const struct replay *memory,
                        FILE *out)
{
    struct train_found found = { .records = memory->count };
    struct acc_figures f = { 0 };

    if (!j->tuner)
        acc_figures(&s->loop.tuner, &f);
    found.reward_sum = f.reward_sum;
    found.rewards = f.rewards;
    found.fct_us[0] = fct_us_stats(&s->fct.mice).mean;
    found.fct_us[1] = fct_us_stats(&s->fct.elephants).mean;
    fwrite(&found, sizeof found, 1, out);
    for (uint32_t i = 0; i < memory->count; i++)
        fwrite(replay_at(memory, i), sizeof(float), memory->floats, out);
}

int train_run(const char *text, const struct train_job *j, FILE *out, struct err *err)
{
    char                    set[40];
    const char             *sets[] = { set };
    struct simulation_input input = { .name = j->name ? j->name : "training", .text = text,
                                      .text_bytes = strlen(text), .threads = 1,
                                      .seed = j->seed ? &j->seed : NULL, .set = sets,
                                      .is_untuned = !j->tuner };
    struct replay           memory = { 0 };
    struct simulation       s;

    snprintf(set, sizeof set, "tuner=%s", j->tuner ? j->tuner : "");
    input.sets = j->tuner ? 1 : 0;
    int rc = simulation_open(&s, &input, err);
    if (rc)
        return rc;
    if (j->records_max)
        replay_init(&memory, j->record_floats, j->records_max);
    if (!j->tuner)
        rc = attach_explorer(&s, j, j->records_max ? &memory : NULL, err);
    if (!rc) {
        simulation_run(&s, NULL, NULL);
        rc = simulation_failed(&s, err);
    }
    if (!rc)
        write_found(&s, j, &memory, out);
    if (j->records_max)
        replay_fini(&memory);
    simulation_close(&s);
    return rc;
}

/* ---- parallel runs ---- */

#define HARM_FROM   1.01
#define HARM_WEIGHT 4
#define CHECK_SEEDS (1ull << 50) /* those of runs are lower */

double train_value(const struct train *t, const char *name)
{
    for (int i = 0; tuner_acc.option[i].name; i++)
        if (strcmp(tuner_acc.option[i].name, name) == 0)
            return t->values.value[i];
    die("no option %s", name);
}

char *train_file_text(const struct train *t, uint32_t number, struct train_job *j)
{
    uint32_t file = number % t->request.scenarios;

    j->name = t->request.scenario[file];
    return xstrdup(t->file[file]);
}

char *train_check_text(const struct train *t, uint32_t number, uint64_t seed, struct train_job *j)
{
    if (!t->request.scenarios)
        return train_check_scenario(number, seed, t->request.nics, t->request.is_quick);
    j->seed = CHECK_SEEDS + seed * 1009 + number;
    return train_file_text(t, number, j);
}

static enum pool_next next_job(void *arg, struct pool_job *job)
{
    struct train *t = arg;

    if (t->next == t->count)
        return POOL_NONE;
    job->number = t->next++;
    return POOL_JOB;
}

static int run_job(void *arg, const struct pool_job *job, FILE *out)
{
    const struct train *t = arg;
    struct train_job    j = { .values = &t->values, .record_floats = t->state.dqn.replay.floats };
    char               *text;
    struct err          err;

    t->job(t, job->number, &j, &text);
    int rc = train_run(text, &j, out, &err);
    if (rc)
        fprintf(stderr, "anole: run %u: %s\n%s", job->number, err.text, text);
    free(text);
    return rc ? EXIT_FAILURE : 0;
}

static int on_done(void *arg, const struct pool_job *job, int status, const char *text, size_t length)
{
    struct train *t = arg;

    if (status != 0 || length < sizeof(struct train_found))
        return -EIO;
    t->text[job->number] = xmalloc(length);
    memcpy(t->text[job->number], text, length);
    t->length[job->number] = length;
    return 0;
}

void train_jobs_drop(struct train *t)
{
    for (uint32_t i = 0; t->text && i < t->count; i++)
        free(t->text[i]);
    free(t->text);
    free(t->length);
    t->text = NULL;
    t->length = NULL;
}

int train_jobs(struct train *t, uint32_t count,
               void (*job)(const struct train *, uint32_t number, struct train_job *, char **text),
               struct err *err)
{
    struct pool_hooks hooks = { .arg = t, .next = next_job, .work = run_job, .done = on_done, .wake = -1 };

    t->count = count;
    t->next = 0;
    t->job = job;
    t->text = xcalloc(count, sizeof *t->text);
    t->length = xcalloc(count, sizeof *t->length);
    int rc = pool_run(&hooks, t->request.jobs);
    return rc < 0 ? err_set(err, -rc, "a run has failed") : rc;
}

struct train_found train_found_by(const struct train *t, uint32_t job)
{
    struct train_found found;

    memcpy(&found, t->text[job], sizeof found);
    return found;
}

double train_badness(double times)
{
    return rng_log(times) + (times > HARM_FROM ? HARM_WEIGHT * (times - HARM_FROM) : 0);
}

double train_score(const struct train *t, uint32_t job, uint32_t base)
{
    double   sum = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < TRAIN_CHECKS; i++) {
        struct train_found is = train_found_by(t, job + i), was = train_found_by(t, base + i);

        for (int k = 0; k < 2; k++) {
            if (is.fct_us[k] <= 0 || was.fct_us[k] <= 0)
                continue;
            sum += train_badness(is.fct_us[k] / was.fct_us[k]);
            count++;
        }
    }
    return count ? sum / count : 0;
}
