/* src/work/net/address.h - IPv4 addresses of nodes, numbered as in the HPCC ns-3 fork. */
#ifndef WORK_NET_ADDRESS_H
#define WORK_NET_ADDRESS_H

#include <stdint.h>

/* 11.x.y.1, where x.y is the node. */
static inline uint32_t address_of_node(uint32_t node)
{
    return 0x0b000001u + (node << 8);
}

#endif
