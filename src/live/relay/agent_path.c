#include "live/relay/agent_path.h"

void path_init(struct path *p, uint32_t ways, uint32_t relays, uint64_t silence_us, uint64_t return_us,
               uint64_t now_us)
{
    *p = (struct path){ .ways = ways, .relays = relays, .silence_us = silence_us, .return_us = return_us,
                        .since_us = now_us, .heard_us = now_us };
}

void path_heard(struct path *p, uint64_t now_us)
{
    p->heard_us = now_us;
}

static void switch_path(struct path *p, uint32_t way, uint64_t now_us)
{
    p->at = way;
    p->since_us = p->heard_us = now_us;
}

void path_lost(struct path *p, uint64_t now_us)
{
    switch_path(p, (p->at + 1) % p->ways, now_us);
}

bool path_on_tick(struct path *p, uint64_t now_us)
{
    if (p->ways == 1)
        return false;
    if (now_us > p->heard_us + p->silence_us)
        path_lost(p, now_us);
    else if (p->relays && p->at && now_us > p->since_us + p->return_us)
        switch_path(p, 0, now_us);
    else
        return false;
    return true;
}
