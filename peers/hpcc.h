/* peers/hpcc.h - the input files of the HPCC ns-3 fork: topology, flow list, config.
 *
 * Also reads the files of the ConWeave ns-3 fork, which derives from it; differences are noted below.
 *
 * A file that is invalid, or uses something that is not modeled, is refused with "file:line: reason". On
 * failure, outputs are unchanged. '#' starts a comment. Files ending in .gz are not read. Each function reads
 * the file 'path', or 'text' if it is not NULL; 'path' is then for messages.
 *
 * The fork's own files have explanations after their last row. Therefore everything after the last row is
 * ignored from the first line on that does not start with a digit. Rows beyond the announced number are also
 * ignored, as in the fork: reading succeeds, and HPCC_ODD means that 'err' holds a warning.
 */
#ifndef PEERS_HPCC_H
#define PEERS_HPCC_H

#include "base/err.h"
#include "work/net/flow_list.h"
#include "work/net/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HPCC_ODD         1           /* success, with a warning */
#define HPCC_FLOWS_MAX   100000000u
#define HPCC_SECONDS_MAX 1000000u    /* for flow starts and the end: 2^64 ps is 1.8e7 s */

/* Topology: "nodes switches links", switch ids, then per link "a b rate delay error_rate". Delays are
 * truncated to whole nanoseconds as in ns-3: 0.6us is 599 ns; _exact: they are what is written, rounded to
 * picoseconds, for models that reproduce no fork. Node i of the file is node i of the graph. The
 * graph passes graph_check(). Parallel links are refused, because the fork does not support them. Errors that
 * concern no single line are reported for the line of the counts. */
int hpcc_read_topology(const char *path, const char *text, struct graph *, struct err *);
int hpcc_read_topology_exact(const char *path, const char *text, struct graph *, struct err *);

/* Flow list: count, then per flow "src dst pg dport bytes start_s", sorted by start; src != dst; bytes > 0.
 * Hosts are checked against the graph if it is not NULL. A count above the number of lines is refused. Starts
 * are truncated to whole nanoseconds by hpcc_ns_from_seconds(); _exact: as above.
 *
 * ConWeave's list has no dport. It is recognized by a first row of five words, the last of which has a
 * decimal point. The fork then counts ports from 100 for each destination; so does this reader if there is a
 * graph.
 */
int hpcc_read_flows(const char *path, const char *text, const struct graph *, struct flow_list *,
                     struct err *);
int hpcc_read_flows_exact(const char *path, const char *text, const struct graph *, struct flow_list *,
                           struct err *);

#define HPCC_MAP_MAX 16

struct hpcc_ecn { uint64_t rate_bps; double kmin_kb, kmax_kb, pmax; };   /* KB = 1000 bytes */

struct hpcc_config {
    char     topology_file[256], flow_file[256];     /* as written, relative to the config's folder; or "" */
    bool     enable_qcn, clamp_target_rate, has_win, global_t, var_win, ack_high_prio;
    uint32_t payload_bytes, cc_mode, fast_recovery_times, buffer_mib;
    uint32_t l2_ack_interval, l2_chunk_size, l2_back_to_zero;
    /* truncated to whole numbers, as in ns-3 */
    double   alpha_resume_us, rp_timer_us, rate_decrease_us;
    double   ewma_gain;
    uint64_t ai_bps, hai_bps, min_rate_bps, dctcp_ai_bps;
    bool     fast_react, multi_rate, sample_feedback, rate_bound;
    uint32_t mi_thresh, int_multi;
    double   u_target, pint_log_base, pint_prob;
    double   error_rate_per_link, stop_s;
    struct   { uint64_t at_us; uint32_t a, b; } link_down;   /* at_us: after second 2 of the run; 0: none */
    bool     is_conweave;                            /* LB_MODE is given: a config of the ConWeave fork */
    bool     enable_pfc, enable_irn;                 /* ConWeave */
    double   pause_us;                               /* ConWeave: duration of a PFC frame */
    uint32_t lb_mode;  /* ConWeave: 0 (ECMP), 3 (CONGA), 6 (LetFlow) or 9 (ConWeave); others are refused */
    struct   { double reply_us, pause_us, flush_us, wait_us, expiry_us; } weave;     /* ConWeave */
    uint32_t random_seed;                            /* ConWeave; 0: not given */
    struct hpcc_ecn ecn[HPCC_MAP_MAX];               /* in the order of KMAX_MAP */
    uint32_t ecn_count;
};

/* Returns our name of the congestion control for a CC_MODE, or NULL if it is not modeled. */
const char *hpcc_cc_of_mode(uint32_t mode);

/* Config: "KEY value" lines. Output keys, and keys without effect on the model, are accepted. Refused are: an
 * unknown key, a duplicate key, a CC_MODE other than 1, 3, 7, 8 and 10, L2_BACK_TO_ZERO 1, an LB_MODE that is
 * not modeled, ENABLE_PFC 0 and ENABLE_IRN 1. The three maps must list the same rates. Missing keys take the
 * defaults of the fork's main program, or of its sample config if the program has none. */
int hpcc_read_config(const char *path, const char *text, struct hpcc_config *, struct err *);

#endif
