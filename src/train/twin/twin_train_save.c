/* src/train/twin/twin_train_save.c - writes the surrogate to a file. */
#include "train/twin/twin_train.h"
#include "learn/model.h"
#include "tune/rehearse/search/surrogate.h"

#include <stdio.h>

static void put_number(struct model *m, const char *key, double value)
{
    char text[40];

    snprintf(text, sizeof(text), "%.4g", value);
    model_put(m, key, text);
}

int twin_train_save(const struct twin_request *q, const struct twin_trained *t, struct err *err)
{
    struct model m;
    int          rc;

    model_init(&m, SURROGATE_KIND, &t->net);
    put_number(&m, "rounds", q->rounds);
    put_number(&m, "networks", q->networks);
    put_number(&m, "epochs", q->epochs);
    put_number(&m, "seed", (double)q->seed);
    put_number(&m, "tried", t->tried);
    put_number(&m, "error", t->error);
    put_number(&m, "chosen", t->chosen);
    put_number(&m, "bdp", t->bdp);
    rc = model_save(&m, q->out, err);
    if (!rc && q->json)
        rc = model_save_json(&m, q->json, err);
    model_fini(&m);
    return rc;
}
