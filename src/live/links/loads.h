/* src/live/links/loads.h - the load of links, for each direction, as reported by the sending device.
 *
 * A NIC reports its one port; a switch reports each of its ports. A direction is unknown if its sender does
 * not report in time. A switch reads its counters only every few seconds: the last value stays valid so long.
 * Listeners get the links that have changed, or if there are very many links only the worst.
 */
#ifndef LIVE_LINKS_LOADS_H
#define LIVE_LINKS_LOADS_H

#include "base/json.h"
#include "live/controller/roster.h"
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
    uint32_t         *first, *next;              /* first device of a node, next of the same; or LINKS_NONE */
    uint32_t          devices, roster;           /* of the controller, when they were looked for */
    uint64_t          version;   /* of the set of known devices */
    uint64_t          look;
};

/* The links must not change. 'look': number of previous looks; listeners get all links again. */
void loads_init(struct loads *, const struct links *, uint64_t look);
void loads_fini(struct loads *);

void loads_look(struct loads *, const struct controller *, uint64_t now_us);

/* {"version":V,"total":N,"nodes":[[NAME,KIND],...],"links":[[NODE,NODE],...]}; KIND is NIC, switch or ""
 * (unknown). With very many links, nodes and links are missing. NULL: no links. */
json_t *loads_json(const struct loads *, const struct controller *);

/* {"version":V,"links":[[I,USE,USE,PAUSED,PAUSED,QUEUE,QUEUE],...]}: links that changed after look 'since',
 * in both directions; with very many links {"version":V,"worst":[[NAME,NAME,USE,...],...]}. NULL: no news. */
json_t *loads_changes(const struct loads *, uint64_t since);

/* Rounded, so that noise is not sent: thousandths (-1: NAN), and the first two digits. */
int32_t loads_thousandths(double);
int64_t loads_two_digits(uint64_t);

/* Appends values to a row; below 0: null. Returns the row. */
json_t *loads_row(json_t *row, const int64_t *value, uint32_t count);

#endif
