#include "cmd/train_rlcc.h"

#include "base/file/interrupt.h"
#include "base/json.h"
#include "base/text.h"
#include "campaign/pool.h"
#include "cmd/cmd.h"
#include "cmd/json/cmd_json.h"
#include "cmd/json/policy_json.h"
#include "train/rlcc/rlcc_train.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct rlcc_request request;
    const char         *what;    /* "rlcc" */
    bool                is_json;
};

enum { KEY_OUT = 'o', KEY_QUIET = 'q', KEY_JOBS = 'j', KEY_WORLD = 'w', KEY_FORMAT = 'f', KEY_SEED = 256, KEY_BODY, KEY_UPDATES, KEY_WARM_UP,
       KEY_STEPS, KEY_RENEW, KEY_MTU, KEY_RATE, KEY_RATE_END, KEY_GAMMA, KEY_SMOOTHING, KEY_HIDE, KEY_JSON };

static const struct argp_option option_rows[] = {
    { "out", KEY_OUT, "FILE", 0, "Write the model into FILE. FILE.state is beside it until the training is over", 0 },
    { "body", KEY_BODY, "mlp|lstm|trees", 0, "What learns: a net of 204 weights (default), one with a memory, or ten trees for a NIC, "
      "without a net. Trees have initial values of their own: 600 updates, no warm-up, --renew 50, --rate 0.02, --rate-end 1", 0 },
    { "world", KEY_WORLD, "WORLD", 0, "A world to learn in: many_to_one:HOSTS_QPS, all_to_all:HOSTS_QPS or long_short:HOSTS. "
      "May be given more than once; without it those of the published training", 0 },
    { "seed", KEY_SEED, "N", 0, "Start of the random numbers (default: 1)", 0 },
    { "updates", KEY_UPDATES, "N", 0, "Updates of the weights (default: 1000)", 0 },
    { "warm-up", KEY_WARM_UP, "N", 0, "Of them, so many first ones learn from 1024 steps of each world (default: 50)", 0 },
    { "steps", KEY_STEPS, "N", 0, "The others learn from so many steps of every agent, or 8000 of a world (default: 15)", 0 },
    { "renew", KEY_RENEW, "N", 0, "Each world begins anew after so many updates, and the training is saved after five times as many (default: 100)", 0 },
    { "mtu", KEY_MTU, "BYTES", 0, "Payload of a packet, 256 .. 8192 (default: 4096)", 0 },
    { "rate", KEY_RATE, "X", 0, "Of Adam (default: 0.01)", 0 },
    { "rate-end", KEY_RATE_END, "X", 0, "In the second half of the updates the rate falls to this share of it (default: 0.02; "
      "1, as published: it stays)", 0 },
    { "gamma", KEY_GAMMA, "X", 0, "What the next step counts (default: 0.99)", 0 },
    { "smoothing", KEY_SMOOTHING, "X", 0, "Weight of differences between actions (default: 1)", 0 },
    { "hide-history", KEY_HIDE, NULL, 0, "Flows other than the first see actions of 1: the defect of the published "
      "environment", 0 },
    { "jobs", KEY_JOBS, "N", 0, "Worlds at the same time (default: as many as there are cores). The model is the same", 0 },
    { "json", KEY_JSON, "FILE", 0, "Write the model into FILE, too, as JSON for people to read", 0 },
    { "format", KEY_FORMAT, "table|json", 0, "How it is told (default: table, with progress; json: once, in the end)", 0 },
    { "quiet", KEY_QUIET, NULL, 0, "Print nothing but what is wrong; checks are left out", 0 },
    { 0 },
};

static double number(const char *option, const char *text, double min, double max)
{
    double     value = 0;
    struct err why;

    if (text_to_real(text, &value, &why))
        cmd_usage("%s: %s", option, why.text);
    if (!(value >= min && value <= max))
        cmd_usage("%s must be %g .. %g, not %s", option, min, max, text);
    return value;
}

static enum policy_body body(const char *text)
{
    static const char *const      names[] = { "mlp", "lstm", "trees", NULL };
    static const enum policy_body bodies[] = { POLICY_MLP, POLICY_LSTM, POLICY_TREES };

    return bodies[cmd_choice("--body", "not what can learn", text, names)];
}

static void add_world(struct rlcc_request *r, const char *name)
{
    r->world = xrealloc(r->world, (r->worlds + 1) * sizeof *r->world);
    r->world[r->worlds++] = name;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options      *o = state->input;
    struct rlcc_request *r = &o->request;

    switch (key) {
    case KEY_OUT:       r->out = arg;                                                       break;
    case KEY_BODY:      r->body = body(arg);                                                break;
    case KEY_WORLD:     add_world(r, arg);                                                  break;
    case KEY_SEED:      r->seed = cmd_seed("--seed", arg);                                  break;
    case KEY_UPDATES:   r->updates = (uint32_t)cmd_count("--updates", arg, 1, 1000000);     break;
    case KEY_WARM_UP:   r->warm_up = (uint32_t)cmd_count("--warm-up", arg, 0, 1000000);     break;
    case KEY_STEPS:     r->steps = (uint32_t)cmd_count("--steps", arg, 3, 1000);            break;
    case KEY_RENEW:     r->renew = (uint32_t)cmd_count("--renew", arg, 1, 1000000);         break;
    case KEY_MTU:       r->mtu_bytes = (uint32_t)cmd_count("--mtu", arg, 256, 8192);        break;
    case KEY_RATE:      r->rate = number("--rate", arg, 1e-6, 1);                           break;
    case KEY_RATE_END:  r->rate_end = number("--rate-end", arg, 0, 1);                      break;
    case KEY_GAMMA:     r->gamma = number("--gamma", arg, 0.01, 1);                         break;
    case KEY_SMOOTHING: r->smoothing = number("--smoothing", arg, 0, 100);                  break;
    case KEY_HIDE:      r->hides_history = true;                                            break;
    case KEY_JOBS:      r->jobs = (uint32_t)cmd_count("--jobs", arg, 1, POOL_WORKERS_MAX);  break;
    case KEY_JSON:      r->json = arg;                                                      break;
    case KEY_FORMAT:    o->is_json = cmd_is_json(arg);                                      break;
    case KEY_QUIET:     r->is_quiet = true;                                                 break;
    case ARGP_KEY_ARG:  cmd_take_one(&o->what, arg, "thing to train");                      break;
    default:            return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "rlcc",
    .doc = "Makes a policy for the congestion control rlcc from nothing. Flows of several simulated worlds are agents that "
           "share it; after each rollout the analytic policy gradient (ADPG) of what all of them went through changes it. In "
           "the end it tells what the policy does, beside the paper's table, and how it does in worlds that it has not seen."
           "\v"
           "Examples:\n"
           "  anole train rlcc --out my.model\n"
           "      A model in some minutes.\n"
           "  anole run scenarios/cc_rlcc.yaml --set rlcc=my.model\n"
           "      A network that it controls.\n"
           "\n"
           "The same options and seed give the same model, to the last bit, whatever the number of jobs. An interrupted "
           "training goes on where it was when the same command is given again.",
};

static void tell(const struct rlcc_train *t)
{
    struct rule_cfg rule = { 0 };
    json_t         *all = json_object();

    json_put_text(all, "model", "rlcc");
    json_put_text(all, "out", t->request.out);
    json_object_set_new(all, "seed", json_of_seed(t->request.seed));
    json_put_count(all, "updates", t->updates);
    json_object_set_new(all, "policy", policy_json(&t->policy, &rule));
    cmd_print_json(all);
}

int train_rlcc_main(int argc, char **argv)
{
    struct options    o = { .request = rlcc_initial };
    struct rlcc_train t;
    struct err        err;
    bool              is_told;
    int               rc;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (o.request.body == POLICY_TREES) {    /* once more, on top of what trees begin with */
        free(o.request.world);
        o = (struct options){ .request = rlcc_initial_trees };
        argp_parse(&argp, argc, argv, 0, NULL, &o);
    }
    if (o.request.body == POLICY_TREES && o.request.hides_history)
        cmd_usage("--hide-history is for nets: trees have no such defect to repeat");
    if (!o.request.out)
        cmd_usage("where is the model to be written? Give --out FILE");
    is_told = o.is_json && !o.request.is_quiet;
    o.request.is_quiet |= o.is_json;
    if (rlcc_train_open(&t, &o.request, &err))
        cmd_usage("%s", err.text);
    interrupt_catch();
    rc = rlcc_train_run(&t, &err);
    if (!rc && is_told)
        tell(&t);
    rlcc_train_close(&t);
    free(o.request.world);
    return cmd_end(rc, &err);
}
