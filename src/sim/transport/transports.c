#include "sim/transport/transports.h"

static const struct transport *const transports[TRANSPORTS] = {
#define TRANSPORT(NAME, name) [TRANSPORT_##NAME] = &transport_##name,
#include "sim/event/kinds.def"
};

void transports_reserve(struct sim *s, uint32_t flows)
{
    s->hosts.transport = transports;
    for (uint32_t i = 0; i < TRANSPORTS; i++) {
        if (transports[i]->share)
            s->hosts.sharing = transports[i];
        if (transports[i]->reserve)
            transports[i]->reserve(s, flows);
    }
}

void transports_reserve_part(struct sim *s)
{
    for (uint32_t i = 0; i < TRANSPORTS; i++)
        if (transports[i]->reserve_part)
            transports[i]->reserve_part(s);
}

void transports_release(struct sim *s)
{
    for (uint32_t i = 0; i < TRANSPORTS; i++)
        if (transports[i]->release)
            transports[i]->release(s);
}

bool transports_have_timers(const struct sim *s)
{
    for (uint32_t i = 0; i < TRANSPORTS; i++)
        if (transports[i]->has_timers && transports[i]->has_timers(s))
            return true;
    return false;
}

enum transport_id transports_choose(const struct sim *s, const struct host *h, const struct flow_spec *spec)
{
    uint32_t i = 0;

    while (i < TRANSPORTS - 1 && !transports[i]->takes(s, h, spec))
        i++;
    return (enum transport_id)i;
}
