/* src/live/links/links.h - a file with the links between ports of devices, by an operator or an inventory.
 *
 *   links:
 *     - host1/mlx5_0 - tor1:Ethernet4            a device, or several by the name before the slash
 *     - host2:mlx5_1 - tor1:Ethernet8            a port of a host is one of its devices
 *     - tor1:Ethernet0 - spine1:Ethernet12
 *
 * Devices need not exist: the load of a link without reports is unknown. A port is a name, or its index in
 * the device, from 0.
 */
#ifndef LIVE_LINKS_LINKS_H
#define LIVE_LINKS_LINKS_H

#include "base/reader.h"
#include "live/core/msg.h"

#include <stddef.h>

#define LINKS_MAX  65536u
#define LINKS_NONE UINT32_MAX

struct link_end { uint32_t node; char port[MSG_PORT_NAME_SIZE]; };       /* port "": not said */
struct link { struct link_end end[2]; };

struct links {
    char        (*node)[MSG_NAME_SIZE];
    struct link  *link;
    uint32_t      nodes, links;
    void         *by_name;       /* tree (search.h) of nodes */
};

/* Errors have the place in the file, and leave nothing allocated. */
int  links_parse(struct links *, const char *name, const char *text, size_t length, struct err *);
void links_fini(struct links *);

/* The file that a key of a configuration names, if it is there. */
void links_read_named(const struct section *, const char *key, struct links *);

/* Finds a node by the first 'length' characters of 'name'; LINKS_NONE: unknown. */
uint32_t links_find(const struct links *, const char *name, size_t length);

#endif
