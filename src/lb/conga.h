/* src/lb/conga.h - CONGA (SIGCOMM'14): every flowlet goes the least congested path, as the last switch has told.
 *
 * In a nutshell:
 *   - Every port estimates the load of its link (DRE): X grows by the bytes of data that leave and loses the share
 *     alpha every Tdre, so at a steady rate X = rate x Tdre / alpha. Congestion is X by what it is at full rate, in
 *     2^bits levels (knobs conga_tdre, conga_alpha, conga_bits).
 *   - Data carries the name of its path and the worst level it has met between switches.
 *   - The last switch remembers that level by first switch and path, and tells the first switch: each packet that goes
 *     there carries one of them, those in turn that have changed, else those in turn that it has heard of since.
 *   - The first switch sends a new flowlet the path whose worst level, here or as told, is the least; among equal ones
 *     the present, else a random one. What it was told it forgets after conga_ageing.
 *
 * Flowlets are flowlet.h's. The parameters are those of the ConWeave ns-3 fork; the paper has Tdre 16 us, alpha 0.1 and
 * a flowlet timeout of 500 us. Where there are more than CONGA_ALL paths, conga_samples random ones are compared with
 * the present, as in the fork. Paths are called by their number; beyond CONGA_NAMES several share a name, and with it
 * what is told.
 */
#ifndef LB_CONGA_H
#define LB_CONGA_H

#include "lb/flowlet.h"
#include "lb/lb.h"

#define CONGA_ALL   16           /* so many paths are compared one by one; also the bound of conga_samples */
#define CONGA_NAMES 256

struct conga_cfg {
    struct flowlet_cfg flowlet;
    uint64_t tdre_ps, ageing_ps;
    double   alpha;
    uint32_t levels, samples;
};

extern const struct lb_algo lb_conga;
extern const struct lb_algo lb_conga_fork;       /* as the ConWeave ns-3 fork has it: conga_fork.c */

void          conga_configure(void *cfg, const struct knobs *);
enum lb_scope conga_scope(const void *cfg);

/* Its hooks, by name: see balance.c. */
void conga_enter(const void *cfg, void *state, uint32_t to, struct lb_tag *);
void conga_forward(const void *cfg, void *state, uint64_t now_ps, const struct lb_switch *, uint32_t port, uint32_t bytes,
                   struct lb_tag *);
void conga_leave(const void *cfg, void *state, uint64_t now_ps, uint32_t from, bool is_data, const struct lb_tag *);

#endif
