/* src/live/links/links.h - which port of which device is joined to which: a file that a person, or whoever
 * knows the network, writes.
 *
 *   links:
 *     - host1/mlx5_0 - tor1:Ethernet4            a device, or a name before the slash of several; with the
 *       port, or without
 *     - host2:mlx5_1 - tor1:Ethernet8            a port of a host is one of its devices
 *     - tor1:Ethernet0 - spine1:Ethernet12
 *
 * Devices need not be there yet, nor ever: what nobody reports is not known. A port is a name, or its place
 * in the device, from 0.
 */
#ifndef LIVE_LINKS_LINKS_H
#define LIVE_LINKS_LINKS_H

#include "base/reader.h"
#include "live/controller/finder.h"
#include "live/core/msg.h"

#include <stddef.h>

#define LINKS_MAX 65536u

struct link_end { uint32_t node; char port[MSG_PORT_NAME_SIZE]; };       /* port "": not said */
struct link { struct link_end end[2]; };

struct links {
    char        (*node)[MSG_NAME_SIZE];
    struct link  *link;
    uint32_t      nodes, links;
    struct finder by_name;       /* nodes */
};

/* What is wrong is told with its place, and nothing is held. */
int  links_parse(struct links *, const char *name, const char *text, size_t length, struct err *);
int  links_read(struct links *, const char *path, struct err *);
void links_fini(struct links *);

/* The file that a key of a configuration names, if it is there. */
void links_read_named(const struct section *, const char *key, struct links *);

/* The node that is called like the first 'length' characters; FINDER_NONE: there is none. */
uint32_t links_find(const struct links *, const char *name, size_t length);

#endif
