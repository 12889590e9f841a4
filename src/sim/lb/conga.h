/* src/sim/lb/conga.h - CONGA (SIGCOMM'14): every flowlet takes the least congested path, based on feedback.
 *
 * Overview:
 *   - Each port estimates the load of its link (DRE). X grows by the bytes of data sent, and decays by the
 *     share alpha every Tdre. At a steady rate, X = rate x Tdre / alpha. Congestion is X relative to its
 *     value at full rate, in 2^bits levels (knobs conga_tdre, conga_alpha, conga_bits).
 *   - Data packets carry the name of their path and the highest level between the first and the last switch.
 *   - The last switch stores that level by first switch and path, and sends it back. Each packet to the first
 *     switch carries one level: changed ones first, then those with new packets, round robin.
 *   - The first switch sends a new flowlet to the path with the lowest level. The level of a path is the
 *     higher of the local one and the feedback. Ties go to the current path, or else to a random one.
 *     Feedback expires after conga_ageing.
 *
 * Flowlets are those of flowlet.h. Defaults are those of the ConWeave ns-3 fork; the paper uses Tdre 16 us,
 * alpha 0.1 and a flowlet timeout of 500 us. With more than CONGA_ALL paths, conga_samples random ones are
 * compared with the current path, as in the fork. The name of a path is its number; beyond CONGA_NAMES,
 * several paths share a name and its feedback.
 */
#ifndef SIM_LB_CONGA_H
#define SIM_LB_CONGA_H

#include "sim/lb/flowlet.h"
#include "sim/lb/lb.h"

#define CONGA_ALL   16           /* up to this many paths are all compared; also the limit of conga_samples */
#define CONGA_NAMES 256

struct conga_cfg {
    struct flowlet_cfg flowlet;
    uint64_t tdre_ps, ageing_ps;
    double   alpha;
    uint32_t levels, samples;
};

extern const struct lb_algo lb_conga;
extern const struct lb_algo lb_conga_fork;       /* as in the ConWeave ns-3 fork: conga_fork.c */

void          conga_configure(void *cfg, const struct knobs *);
enum lb_scope conga_scope(const void *cfg);

/* The state of a switch: 'own_bytes', then, in switches with hosts, its flowlets and 'rack_bytes' per rack.
 * conga_state_size() returns its size. conga_split() returns the racks, or NULL, and sets *flowlet. */
size_t conga_state_size(const struct conga_cfg *, const struct lb_switch *, size_t own_bytes,
                        size_t rack_bytes);
void  *conga_split(const struct conga_cfg *, const struct lb_switch *, void *state, size_t own_bytes,
                   struct flowlet **flowlet);

#endif
