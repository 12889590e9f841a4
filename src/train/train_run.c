/* src/train/train_run.c - one training run, in its own process. */
#include "base/text.h"
#include "run/sim_world.h"
#include "run/simulation.h"
#include "train/train.h"
#include "tune/acc/acc.h"

#include <stdlib.h>
#include <string.h>

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
    int          rc;

    sim_world_init(&world, s->sim, s->scenario.interval_ps);
    rc = loop_open_with(&loop, &world, &tuner_acc, j->values, err);
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
    found.slots = f.slots;
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
    struct simulation_input input = { .name = j->name ? j->name : "training", .text = text, .text_bytes = strlen(text),
                                      .threads = 1, .seed = j->seed ? &j->seed : NULL, .set = sets,
                                      .is_untuned = !j->tuner };
    struct replay           memory = { 0 };
    struct simulation       s;
    int                     rc;

    snprintf(set, sizeof set, "tuner=%s", j->tuner ? j->tuner : "");
    input.sets = j->tuner ? 1 : 0;
    rc = simulation_open(&s, &input, err);
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
