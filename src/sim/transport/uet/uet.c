#include "sim/transport/uet/uet.h"

static void on_more(struct sim *s, struct host *h, struct flow *f)
{
    uet_ask(s, h, f, false);
}

static bool may_send(const struct sim *s, const struct host *h, const struct flow *f)
{
    (void)h;
    return uet_may_send(s, f, uet_tx_of(s, f));
}

const struct transport transport_uet = {
    .name = "uet", .is_numbered = true, .open = uet_open, .wake = uet_wake, .on_more = on_more,
    .may_send = may_send, .next = uet_next, .timer = uet_on_timeout,
};
