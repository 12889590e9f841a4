/* src/cc/pint.h - what a port of a switch tells HPCC-PINT (SIGCOMM 2020): how much it is used, as one number.
 *
 * In a nutshell (T the empty round trip, B the port's rate in bytes, at a packet of data that leaves a queue):
 *
 *   use     dt q / (B T^2) + size of the frame before / (B T) + (T - dt) / T x the use before
 *           with dt the time since the frame before, at most T, and q what is left in the port's queues
 *   digest  log of 512 x use to a base, usually 1.01, up or down at random so that it is right on average
 *
 * A packet takes along the largest on its way. Switches cannot multiply: products are sums of logarithms of numbers
 * with 16 bits, whose lower bits are rounded at random, and powers of 2. All is as in the HPCC ns-3 fork, random
 * numbers included, which come from C's rand() there.
 */
#ifndef CC_PINT_H
#define CC_PINT_H

#include "base/crand.h"

#include <stdint.h>

#define PINT_BASE 1.01           /* unless another is set */
#define PINT_UNIT 512.0          /* steps of the digest's argument to a use of 1 */

struct pint_port {               /* of a switch; begins with zeros */
    uint64_t last_ns;            /* when a frame last left a queue, */
    uint32_t last_bytes;         /* and its size; 0: none has */
    double   use;
};

struct pint_cfg {
    double   base;               /* of the digest's logarithm */
    uint64_t rtt_ns;             /* T */
};

/* A packet of data leaves: returns its digest here. pint_sent() follows, as it does for every other frame. */
uint16_t pint_digest(const struct pint_cfg *, struct pint_port *, uint64_t now_ns, uint64_t rate_bps, uint64_t queue_bytes,
                     struct crand *);

void pint_sent(struct pint_port *, uint64_t now_ns, uint32_t bytes);

/* The use that a digest stands for. */
double pint_use(double base, uint16_t digest);

/* Bits of a digest that packets carry: with larger bases one byte is enough for all. */
uint16_t pint_mask(double base);

#endif
