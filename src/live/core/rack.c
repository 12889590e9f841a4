#include "live/core/rack.h"
#include "base/err.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void rack_init(struct rack *r, uint64_t life)
{
    memset(r, 0, sizeof *r);
    r->life = life;
}

void rack_fini(struct rack *r)
{
    free(r->item);
    free(r->messages);
    rack_init(r, r->life);
}

void rack_clear(struct rack *r)
{
    r->number = r->term = 0;
    r->rows = r->items = r->gones = r->messages_count = 0;
    r->fsd = (struct fsd){ 0 };
}

void rack_add(struct rack *r, uint32_t slot, const struct msg *m)
{
    r->item = xgrow(r->item, r->items, &r->items_max, 4, sizeof *r->item);
    r->item[r->items] = (struct rack_item){ slot, *m };
    r->item[r->items++].msg.sample.detail = NULL;
}

struct seen_part *rack_add_messages(struct rack *r, uint32_t slot)
{
    assert(r->messages_count < RACK_DEVICES_MAX);
    r->messages = xgrow(r->messages, r->messages_count, &r->messages_max, 4, sizeof *r->messages);
    r->messages[r->messages_count].slot = slot;
    return &r->messages[r->messages_count++].part;
}

bool rack_is_empty(const struct rack *r)
{
    return !r->rows && !r->items && !r->gones && !r->number;
}
