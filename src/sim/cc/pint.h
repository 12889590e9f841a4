/* src/sim/cc/pint.h - the telemetry of HPCC-PINT (SIGCOMM 2020): a port's utilization as one number.
 *
 * Overview (T the empty round trip, B the port's rate in bytes, when a data packet leaves a queue):
 *
 *   use     dt q / (B T^2) + size of the previous frame / (B T) + (T - dt) / T x the previous use
 *           with dt the time since the previous frame, at most T, and q the bytes left in the port's queues
 *   digest  log of 512 x use to a base, usually 1.01, rounded randomly so that it is unbiased
 *
 * A packet carries the largest digest on its path. Switches cannot multiply: products are sums of logarithms
 * of 16-bit numbers, whose lower bits are rounded randomly, and powers of 2. Everything is as in the HPCC
 * ns-3 fork, including random numbers, which come from C's rand() there.
 */
#ifndef SIM_CC_PINT_H
#define SIM_CC_PINT_H

#include "base/rng.h"

#include <stdint.h>

#define PINT_BASE 1.01           /* default */
#define PINT_UNIT 512.0          /* units of the digest's argument at a use of 1 */

struct pint_port {               /* state of a switch port; initially zero */
    uint64_t last_ns;            /* when the last frame left a queue, */
    uint32_t last_bytes;         /* and its size; 0: none yet */
    double   use;
};

struct pint_cfg {
    double   base;               /* base of the digest's logarithm */
    uint64_t rtt_ns;             /* T */
};

/* Returns the digest of a data packet that leaves this port. pint_sent() must follow, as for every other
 * frame. */
uint16_t pint_digest(const struct pint_cfg *, struct pint_port *, uint64_t now_ns, uint64_t rate_bps,
                     uint64_t queue_bytes, struct crand *);

void pint_sent(struct pint_port *, uint64_t now_ns, uint32_t bytes);

/* Returns the use that a digest encodes. */
double pint_use(double base, uint16_t digest);

/* Returns the bits of a digest that packets carry: with larger bases, one byte suffices. */
uint16_t pint_mask(double base);

#endif
