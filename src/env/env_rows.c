#include "env/env_rows.h"

#include "env/env.h"
#include "env/env_world.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_A_TIME 20000u

static int open_world(struct env **e, const struct policy *p, const char *name, uint64_t seed,
                      struct err *err)
{
    struct env_cfg cfg = { .name = name, .seed = seed, .policy = p };
    struct env_world w;
    char *text;
    int rc = env_world_parse(&w, name, err);

    if (rc)
        return rc;
    w.mtu_bytes = 4096;          /* fewer packets for the same number of steps */
    text = env_world_text(&w);
    cfg.text = text;
    cfg.text_bytes = strlen(text);
    rc = env_open(e, &cfg, err);
    free(text);
    return rc;
}

/* The action taken in a state is the 'last action' of the next state, for any policy. */
static void add_agent(struct tree_rows *rows, const struct env_agent *a, uint32_t rows_max)
{
    for (uint32_t i = 0; i + 1 < a->steps && rows->rows < rows_max; i++)
        tree_rows_add(rows, a->x[i], a->x[i + 1][2]);
}

int env_add_rows(struct tree_rows *rows, const struct policy *p, const char *world, uint32_t states,
                 uint64_t seed, struct err *err)
{
    uint32_t rows_max = rows->rows + states;
    bool has_more = true;
    struct env *e;
    int rc;

    if (!policy_is_float(p))
        return err_set(err, EINVAL, "flows of a world are controlled by an mlp or an lstm, not by %s",
                       policy_body_name[p->body]);
    rc = open_world(&e, p, world, seed, err);
    if (rc)
        return rc;
    while (has_more && rows->rows < rows_max) {
        has_more =
            env_collect(e, &(struct env_quota){ .steps_least = STEPS_A_TIME, .steps_most = STEPS_A_TIME });
        for (uint32_t i = 0; i < env_agents(e); i++) {
            struct env_agent a = env_agent(e, i);

            add_agent(rows, &a, rows_max);
        }
    }
    env_close(e);
    return 0;
}
