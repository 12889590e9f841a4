/* src/sim/forks/htsim/hash.h - the ECMP hash of uet-htsim's switches, over the id of a flow's sender or
 * receiver, the entropy value and a salt.
 */
#ifndef SIM_FORKS_HTSIM_HASH_H
#define SIM_FORKS_HTSIM_HASH_H

#include <stdint.h>

/* Bob Jenkins' mix of three words, as in FreeBSD's if_bridge. */
static inline uint32_t htsim_hash(uint32_t id, uint32_t ev, uint32_t salt)
{
    uint32_t a = 0x9e3779b9u + id, b = 0x9e3779b9u + salt, c = ev;

    a = (a - b - c) ^ c >> 13;
    b = (b - c - a) ^ a << 8;
    c = (c - a - b) ^ b >> 13;
    a = (a - b - c) ^ c >> 12;
    b = (b - c - a) ^ a << 16;
    c = (c - a - b) ^ b >> 5;
    a = (a - b - c) ^ c >> 3;
    b = (b - c - a) ^ a << 10;
    c = (c - a - b) ^ b >> 15;
    return c;
}

#endif
