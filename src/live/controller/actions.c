#include "live/controller/actions.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

void actions_clear(struct actions *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        json_decref(a->action[i].state);
    a->count = 0;
    a->rc = 0;
}

void actions_fini(struct actions *a)
{
    actions_clear(a);
    free(a->action);
    *a = (struct actions){ 0 };
}

struct action *actions_add(struct actions *a, enum action_kind kind)
{
    if (a->count == a->room) {
        a->room = a->room ? 2 * a->room : 8;
        a->action = xrealloc(a->action, a->room * sizeof *a->action);
    }
    struct action *new = &a->action[a->count++];
    memset(new, 0, sizeof *new);
    new->kind = kind;
    return new;
}
