/* src/sim/sim.h - the simulated world: its public interface.
 *
 * A struct sim is one network with all its state. There are no globals, so a program may have several. A
 * world is built in a few arenas from a graph, a configuration and traffic.
 *
 * Code outside src/sim uses this header, and those of instruments that can be attached to a world: observe/,
 * stall.h, unfinished.h. It sees copies (struct sim_port, ..) and read-only tables. A world changes only by
 * running and by sim_apply() and its kin.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "core/queue.h"
#include "core/units.h"
#include "work/net/graph.h"
#include "sim/event/counters.h"
#include "sim/state/cfg.h"

#include <stdbool.h>
#include <stdint.h>

struct packet;
struct sim;
struct traffic;

/* ---- building and running ---- */

/* Builds the world. On success it owns the graph and the traffic; on failure the caller still does. The
 * caller always owns the configuration. */
int  sim_new(struct sim **, struct graph *, const struct sim_cfg *, struct traffic *, struct err *);
void sim_free(struct sim *);

/* Returns a negative errno if a node with up to 'most' streams of traffic is too many for 'nodes' nodes. */
int sim_check_streams(uint32_t most, uint32_t nodes, struct err *);

/* Runs all events up to and including until_ps. Returns true if more events are pending. Packets in flight
 * still arrive after all flows are done (sim_is_done()). Returns false on failure: see sim_failure(). */
bool sim_run_until(struct sim *, uint64_t until_ps);

/* Returns why the run has failed, or NULL. The world can still be read and freed. */
const struct err *sim_failure(const struct sim *);

/* Returns true if the run has failed because more was in flight than there is room for. */
bool sim_is_overloaded(const struct sim *);

/* Aborts if an invariant fails: bytes sent = received + in flight + dropped, accounts = sums of queues, .. */
void sim_check(const struct sim *);

/* ---- changing ---- */

/* Applies a setting to the whole network. ECN thresholds change at once; timers of NICs that are already
 * running keep their expiry time. */
void sim_apply(struct sim *, const struct knobs *);

/* Applies a setting to one host's rate control, until sim_apply(). Others keep their setting. */
void sim_apply_host(struct sim *, uint32_t host, const struct knobs *);

/* Sets the thresholds of a switch port, until these knobs change. Classes with their own keep them. kmin
 * UINT32_MAX: never marks. */
void sim_set_ecn(struct sim *, uint32_t port, const struct ecn *);

/* Workers of the traffic have been given something to send: starts it. */
void sim_wake_workers(struct sim *);

/* ---- what it consists of ---- */

const struct sim_cfg *sim_settings(const struct sim *);     /* with the current knobs */
const struct graph   *sim_graph(const struct sim *);
struct traffic       *sim_traffic(const struct sim *);

/* Returns the longest round trip of a full packet and its ACK in the empty network. */
uint64_t sim_idle_rtt_ps(const struct sim *);

/* Returns roughly the longest such round trip with one full queue on the path. */
uint64_t sim_full_rtt_with_one_queue_ps(const struct sim *);

/* Returns true if switches or hosts choose among paths, other than by ECMP. */
bool sim_is_balanced(const struct sim *);

/* Returns true if ACKs echo marks, in place of CNPs. */
bool sim_echoes_marks(const struct sim *);

/* Model uet: returns the limit of a data queue if the knob trim is 0. Other models: 0. */
uint64_t sim_trim_bytes(const struct sim *);

struct sim_node {
    uint32_t first_port, ports;
    uint32_t host;               /* index among the hosts */
    bool     is_switch;
    int64_t  shared_bytes_max;   /* shared buffer of an empty switch */
};

/* Returns a node by its number in the graph. */
struct sim_node sim_node(const struct sim *, uint32_t node);

/* Returns the space for packets of lossy classes in an empty switch; INT64_MAX: there are no such classes. */
int64_t sim_room_bytes(const struct sim *, uint32_t node);

struct sim_port {                /* one end of a link */
    uint32_t id, node, link;
    uint32_t index;              /* within its node, from 1 */
    uint32_t peer, peer_node;    /* the other end */
    bool     is_switch, is_peer_switch;
    uint64_t rate_bps;
    uint64_t queue_bytes;        /* data and answers that wait in a switch; 0 for hosts */
    struct ecn ecn;
    struct port_counters counters;
};

uint32_t        sim_ports(const struct sim *);
struct sim_port sim_port(const struct sim *, uint32_t port);

/* Returns how many packets a link lost because it went down. */
uint64_t sim_link_cut(const struct sim *, uint32_t link);

/* Returns how long a port has been paused in total, a pause that lasts included. */
uint64_t sim_port_paused_ps(const struct sim *, uint32_t port, uint64_t now_ps);

/* Returns the length of an egress queue at which a switch starts to pause this ingress port, if 'ports' ports
 * fill the queue evenly. */
uint64_t sim_pfc_bytes(const struct sim *, uint32_t port, uint32_t ports);

/* ---- progress ---- */

uint64_t sim_now_ps(const struct sim *);
uint64_t sim_first_start_ps(const struct sim *);       /* start of the first flow */
uint64_t sim_last_arrival_ps(const struct sim *);      /* arrival of the last frame */
uint64_t sim_done_ps(const struct sim *);              /* end of the last finished flow */
bool     sim_is_done(const struct sim *);              /* all flows are done, and no more will start */

/* Returns where the time of the current event is, for a watcher of long runs. */
const uint64_t *sim_clock(const struct sim *);

const struct sim_counters *sim_counts(const struct sim *);

/* Returns the number of packets that all ports have sent, including PFC frames. */
uint64_t sim_hops(const struct sim *);

/* Returns false if the run has not depended on the seed so far: no node has drawn a random number. */
bool sim_has_drawn(const struct sim *);

/* Returns what fidelity fast has skipped. NULL: every packet is simulated because fidelity is not fast. */
const struct skip_stats *sim_skipped(const struct sim *);

/* Returns the number of threads that share the work, and where one of them spends its time. */
struct sim_thread { double work_s, wait_s; uint64_t windows, events; };
uint32_t          sim_threads(const struct sim *);
struct sim_thread sim_thread_time(const struct sim *, uint32_t thread);

/* Sets who is told of finished flows and PFC frames. NULL: nobody. */
void sim_set_hooks(struct sim *, const struct sim_hooks *);

/* Calls 'on_frame' for every frame that leaves one of the ports given to sim_tap_port(). Only in a world of
 * one thread. NULL: no longer, at any port. */
typedef void sim_on_frame(void *arg, uint64_t now_ps, uint32_t port, const struct packet *);
void sim_tap(struct sim *, sim_on_frame *on_frame, void *arg);
void sim_tap_port(struct sim *, uint32_t port);

/* ---- flows: queue pairs and TCP connections ---- */

struct sim_flow {
    uint32_t id;                 /* flows that do not overlap in time may share one, and differ in */
    uint16_t generation;
    uint16_t sport, dport;
    uint32_t src, dst;           /* nodes */
    uint32_t traffic;            /* entry of the traffic list */
    uint8_t  prio;
    bool     is_tcp;
    uint64_t rate_bps;           /* of the pacer */
    uint64_t acked;              /* bytes acknowledged, of all its messages */
    /* of the oldest message that is not done */
    uint64_t start_ps, bytes, bytes_acked, bytes_resent;
};

/* Returns the first unfinished flow after 'after' (0: the first of all), or 0. */
uint32_t        sim_next_active(const struct sim *, uint32_t after);
struct sim_flow sim_flow(const struct sim *, uint32_t flow);

/* Returns the number of a flow's unfinished messages, and adds their bytes. */
uint32_t sim_flow_waiting(const struct sim *, uint32_t flow, uint64_t *bytes);

/* Returns the acknowledged bytes of an entry of the traffic list. */
uint64_t sim_entry_bytes(const struct sim *, uint32_t entry);

#endif
