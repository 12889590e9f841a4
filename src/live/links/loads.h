/* src/live/links/loads.h - how busy links are, each direction by itself, as the device that sends tells.
 *
 * Of a NIC its one port is known; of a switch what its reports say of single ports. A direction of which
 * nobody tells is not known, and so is one whose sender has not reported in time. Counters of switches are
 * read by the switch itself once in some seconds: what was known last stays for so long.
 *
 * Few links are shown one by one, and a listener is told of those that have changed; of very many the worst.
 */
#ifndef LIVE_LINKS_LOADS_H
#define LIVE_LINKS_LOADS_H

#include "base/json.h"
#include "live/controller/state.h"
#include "live/links/links.h"

#define LOADS_DRAWN 400u
#define LOADS_WORST 25u

/* thousandths; bytes, to two digits; -1: not known */
struct load { int32_t use, paused; int64_t queue; };

/* way[0]: from its first end to its second */
struct link_load { struct load way[2]; uint64_t known_us[2], changed; };

struct loads {
    const struct links *links;   /* NULL: none are known */
    struct link_load *load;      /* by link */
    uint32_t         *first, *next;              /* devices by node, and the next one of the same;
                                                  * FINDER_NONE: none */
    uint32_t          devices, roster;           /* of the controller, when they were looked for */
    uint64_t          version;   /* of who is known */
    uint64_t          look;
};

/* The links must stay as they are. 'look': how often others were looked at before; whoever listens is told of
 * all of them anew. */
void loads_init(struct loads *, const struct links *, uint64_t look);
void loads_fini(struct loads *);

void loads_look(struct loads *, const struct controller *, uint64_t now_us);

/* {"version":V,"total":N,"nodes":[[NAME,KIND],...],"links":[[NODE,NODE],...]}, the kind NIC, switch or "",
 * not known; of very many no nodes and no links. NULL: there are none. */
json_t *loads_json(const struct loads *, const struct controller *);

/* {"version":V,"links":[[I,USE,USE,PAUSED,PAUSED,QUEUE,QUEUE],...]}: those that changed after look 'since',
 * both directions of each; of very many {"version":V,"worst":[[NAME,NAME,USE,...],...]}. NULL: there is
 * nothing to tell. */
json_t *loads_changes(const struct loads *, uint64_t since);

#endif
