/* standin/fabric/fabric.h - the NICs and switches of a simulated network, as devices of an agent.
 *
 * The driver 'twin': its devices are the hosts and the switches of a scenario, by their names. Each report of
 * the agent is one monitor interval of the scenario, so the network runs slower by the ratio of the two
 * intervals: 1 ms in 100 ms is a hundred times. All devices share the simulation. It runs the next interval
 * when a device asks for a sample that it has seen already or, after fabric_hold(), on fabric_advance().
 *
 *   host     settings apply to its senders alone (sim_apply_host()). min_time_between_cnps belongs to
 *            receivers, for which the simulator has one setting: it applies when all hosts have the same
 *            value.
 *   switch   kmin, kmax and pmax of all its ports (sim_set_ecn())
 *
 * Samples have details: ports, round trips, and flow sizes at the measurement points of the scenario's
 * monitor (default: paraleon, at ToRs). The metric of a host is 0.4 x utilization of its link + 0.4 x empty
 * round trip / round trip + 0.2 x fraction of time not paused; switches have none. The scenario's 'changes'
 * are ignored: only agents change settings.
 */
#ifndef STANDIN_FABRIC_FABRIC_H
#define STANDIN_FABRIC_FABRIC_H

#include "core/tuning_goal.h"
#include "live/driver/driver.h"

struct fabric;
int  fabric_new(struct fabric **out, const char *scenario, struct err *);        /* on failure *out is NULL */
void fabric_free(struct fabric *);       /* after its devices were closed */

/* The driver of its devices. */
struct driver fabric_driver(struct fabric *);
uint32_t      fabric_nodes(const struct fabric *);

/* Stops the network; then each fabric_advance() runs an interval and returns simulated microseconds. */
void     fabric_hold(struct fabric *);
uint64_t fabric_advance(struct fabric *);
/* From now on hosts report their messages. No interval may have passed yet. */
void     fabric_tell_messages(struct fabric *);
bool     fabric_is_over(const struct fabric *);          /* the scenario's run has ended */

/* Properties of a scenario, for programs that start agents on it. */
struct fabric_about {
    uint32_t hosts, switches;
    uint64_t interval_us, seed;
    uint64_t monitor_delay_us, dispatch_delay_us;
    bool     has_tuner, has_start;       /* has_start: the tuner is to wait */
    char     tuner[4096];        /* as a controller's file wants it: {name: ..., option: ...} */
    char     goal[GOAL_TEXT_MAX];        /* "": the default */
};

int fabric_describe(struct fabric_about *, const char *path, struct err *);

/* Which port is joined to which, as a controller reads it (live/links/links.h), malloc'd. Of agents of
 * 'agent' called "twin/h1:0" or, where it is NULL and devices stand in for real ones, "h1" and
 * "tor1:Ethernet4". */
int fabric_links(char **text, const char *path, const char *agent, struct err *);

#endif
