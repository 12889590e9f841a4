/* train/train.c - a training from its options to its model. */
#include "train/train.h"
#include "base/digest.h"
#include "base/print/safe.h"
#include "base/text.h"
#include "study/campaign/pool.h"
#include "base/nets/model.h"
#include "tune/acc/acc.h"
#include "version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GENERATION   3           /* of traffic and procedure: increase it if models change */

const struct train_request train_initial = {
    .seed = 1, .search = 50, .rounds = 60, .runs = 12, .updates = 1000, .hold = 4, .check = 5
};

/* ---- options ---- */

/* Defaults for training from scratch, which differ from those for a running network. */
static void set_initial(struct train *t)
{
    static const struct { const char *name, *text;
    } rows[] = {
        { "model", "none" },  { "train", "no" }, { "epsilon", "0.5" },   { "epsilon_min", "0.05" },
        { "rate", "0.0003" }, { "batch", "64" }, { "memory", "100000" }, { "copy_every", "500" },
        { "guard", "no" },
    };
    struct err err;

    option_values_init(tuner_acc.option, &t->values);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (option_values_set(tuner_acc.option, tuner_acc.name, &t->values, rows[i].name, rows[i].text, &err))
            die("%s", err.text);
}

static int set_value(struct train *t, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    char        name[64];
    struct err  why;

    if (!equals)
        return err_set(err, EINVAL, "--set %s: write OPTION=VALUE", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    if (strcmp(name, "model") == 0 || strcmp(name, "train") == 0)
        return err_set(err, EINVAL,
                       "--set %s: a training begins with random numbers, and its runs do not learn", name);
    if (option_values_set(tuner_acc.option, tuner_acc.name, &t->values, name, equals + 1, &why))
        return err_set(err, EINVAL, "--set %s: %s", text, why.text);
    return 0;
}

static int set_values(struct train *t, struct err *err)
{
    int rc = 0;

    set_initial(t);
    for (uint32_t i = 0; i < t->request.sets && !rc; i++)
        rc = set_value(t, t->request.set[i], err);
    if (rc)
        return rc;
    if (train_value(t, "epsilon_min") <= 0 || train_value(t, "epsilon_min") > train_value(t, "epsilon"))
        return err_set(err, EINVAL, "--set epsilon_min: must be above 0 and not above epsilon");
    if (train_value(t, "memory") < train_value(t, "batch"))
        return err_set(err, EINVAL, "--set memory: must hold a batch");
    return 0;
}

/* ---- scenarios ---- */

static int read_files(struct train *t, struct err *err)
{
    const struct train_request *q = &t->request;
    int                         rc = 0;

    if (q->scenarios && (q->is_quick || q->nics != TRAIN_BOTH || q->traffic != TRAIN_ALL))
        return err_set(err, EINVAL,
                       "--quick, --nics and --traffic are for generated traffic, not for scenarios");
    t->file = xcalloc(q->scenarios + 1, sizeof *t->file);
    for (uint32_t i = 0; i < q->scenarios && !rc; i++)
        rc = train_read_file(q->scenario[i], &t->file[i], err);
    return rc;
}

/* Returns everything that affects the model, as text; of files that scenarios name, the names. */
static char *config_text(const struct train *t)
{
    const struct train_request *q = &t->request;
    char *text;
    FILE *out = text_stream(&text);

    fprintf(out, "generation %d seed %" PRIu64 " nics %s search %u rounds %u runs %u updates %u hold %u "
            "check %u quick %d traffic %s", GENERATION, q->seed, train_nics_names[q->nics], q->search,
            q->rounds, q->runs, q->updates, q->hold, q->check, q->is_quick, train_traffic_names[q->traffic]);
    for (int i = 0; tuner_acc.option[i].name; i++)
        fprintf(out, " %s %.17g", tuner_acc.option[i].name, t->values.value[i]);
    for (uint32_t i = 0; i < q->scenarios; i++)
        fprintf(out, "\n%s", t->file[i]);
    fclose(out);
    return text;
}

static void init_state(struct train *t)
{
    struct dqn_cfg cfg = acc_dqn(&t->values);
    char           digest[DIGEST_TEXT_SIZE], *text = config_text(t);
    struct digest  d;

    digest_init(&d);
    digest_add_text(&d, text);
    free(text);
    cfg.seed = t->request.seed;
    train_state_init(&t->state, &cfg, digest_text(digest, &d));
}

/* ---- model ---- */

static void put_number(struct model *m, const char *key, double x)
{
    char text[40];

    snprintf(text, sizeof text, "%.10g", x);
    model_put(m, key, text);
}

static void put_rule(struct model *m, const struct train *t)
{
    char text[6 * ACC_RULE_CELLS];
    int  used = 0;

    if (!t->request.search)
        return;
    for (int i = 0; i < ACC_RULE_CELLS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%u", i ? " " : "",
                         t->state.rule.action[i]);
    model_put(m, "rule", text);
}

static char *command_text(const struct train *t)
{
    const struct train_request *q = &t->request;
    char *text;
    FILE *out = text_stream(&text);

    fprintf(out, "anole train acc --seed %" PRIu64 " --nics %s --search %u --rounds %u --runs %u "
            "--updates %u --hold %u --check %u%s%s",
            q->seed, train_nics_names[q->nics], q->search, q->rounds, q->runs, q->updates, q->hold, q->check,
            q->traffic == TRAIN_PUBLISHED ? " --traffic published" : "", q->is_quick ? " --quick" : "");
    for (uint32_t i = 0; i < q->sets; i++)
        fprintf(out, " --set %s", q->set[i]);
    for (uint32_t i = 0; i < q->scenarios; i++)
        fprintf(out, " %s", q->scenario[i]);
    fclose(out);
    return text;
}

/* Newer options are recorded only if they are not 0, so that older models stay the same to the byte. */
static bool is_omitted(const struct train *t, int option)
{
    const char *name = tuner_acc.option[option].name;

    return t->values.value[option] == 0 &&
           (strcmp(name, "loss") == 0 || strcmp(name, "draw") == 0 || strcmp(name, "guard") == 0);
}

static int write_model(struct train *t, struct err *err)
{
    char        *command = command_text(t);
    struct model m;

    model_init(&m, "acc", &t->state.best);
    model_put(&m, "command", command);
    model_put(&m, "version", ANOLE_VERSION);
    model_put(&m, "traffic",
              t->request.scenarios ? "that of the scenarios" : train_traffic_about[t->request.traffic]);
    put_rule(&m, t);
    put_number(&m, "generation", GENERATION);
    put_number(&m, "round", t->state.best_round);
    if (t->request.check)
        put_number(&m, "score", t->state.best_score);
    for (int i = 0; tuner_acc.option[i].name; i++)
        if (tuner_acc.option[i].unit != KEY_FILE && !is_omitted(t, i))
            put_number(&m, tuner_acc.option[i].name, t->values.value[i]);
    int rc = model_save(&m, t->request.out, err);
    if (!rc && t->request.json)
        rc = model_save_json(&m, t->request.json, err);
    model_fini(&m);
    free(command);
    return rc;
}

static int search_rule(struct train *t, struct err *err)
{
    int rc = 0;

    if (!t->request.is_quiet && t->state.generations < t->request.search)
        printf("   gen    score  action for queues of < 5, < 20, < 80, < 320, more KB; link < 80 %%, < 95 "
               "%%, more\n");
    while (!rc && t->state.generations < t->request.search)
        rc = train_generation(t, err);
    if (!rc && t->request.search && !t->state.is_run_off)
        rc = train_run_off(t, err);
    return rc;
}

/* ---- run ---- */

static uint32_t count_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : cores > POOL_WORKERS_MAX ? POOL_WORKERS_MAX : (uint32_t)cores;
}

int train_open(struct train *t, const struct train_request *request, struct err *err)
{
    *t = (struct train){ .request = *request };
    if (!t->request.jobs)
        t->request.jobs = count_cores();
    int rc = set_values(t, err);
    if (!rc)
        rc = read_files(t, err);
    if (rc)
        return rc;
    init_state(t);
    t->state_path = xprintf("%s.state", request->out);
    return 0;
}

void train_close(struct train *t)
{
    if (t->state_path)
        train_state_fini(&t->state);
    option_values_fini(&t->values);
    for (uint32_t i = 0; t->file && i < t->request.scenarios; i++)
        free(t->file[i]);
    free(t->file);
    free(t->state_path);
}

/* Resumes from the state file, or starts. */
static int load_or_start(struct train *t, struct err *err)
{
    bool is_there;
    int  rc = resume_open(train_state_file(&t->state), t->state_path, &is_there, err);

    if (!rc && is_there && !t->request.is_quiet)
        printf("%s: resuming after %u generations and %u rounds\n", safe_name(t->state_path).buf,
               t->state.generations, t->state.rounds);
    return rc;
}

int train_run_all(struct train *t, struct err *err)
{
    int rc = load_or_start(t, err);

    if (!rc)
        rc = search_rule(t, err);
    if (!rc && !t->request.is_quiet && t->state.rounds < t->request.rounds)
        train_print_head();
    while (!rc && t->state.rounds < t->request.rounds)
        rc = train_round(t, err);
    if (rc > 0)
        err_write(err, "interrupted after %u generations and %u rounds; the same command goes on from there",
                  t->state.generations, t->state.rounds);
    if (!rc)
        rc = write_model(t, err);
    if (rc)
        return rc;
    unlink(t->state_path);
    if (!t->request.is_quiet)
        printf("%s: the net of round %u\n", safe_name(t->request.out).buf, t->state.best_round);
    return 0;
}
