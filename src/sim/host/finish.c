#include "sim/host/finish.h"
#include "sim/host/flow.h"
#include "sim/host/pacer.h"
#include "sim/host/rto.h"
#include "sim/host/turn.h"

/* Removes a flow that has nothing more to send. */
static void leave(struct sim *s, struct host *h, struct flow *f)
{
    f->sent = f->bytes;
    pacer_sort_in(s, h, f);      /* now neither ready nor waiting */
    turn_finish(s, h, f);
    if (h->active == 0)
        rto_cancel(s, h);
}

void finish_flow(struct sim *s, struct host *h, struct flow *f)
{
    if (!(s->model.sends_acked && s->model.sends_acked(s, h, f)))
        leave(s, h, f);
    flow_end(s, f);
}

APART bool finish_messages(struct sim *s, struct host *h, struct flow *f)
{
    while (f->acked >= f->end) {
        flow_end(s, f);
        if (!pair_pop(s, f)) {
            leave(s, h, f);
            f->phase = FLOW_IDLE;
            f->progress_ps = s->engine.now_ps;
            return true;
        }
    }
    pacer_sort_in(s, h, f);
    return false;
}
