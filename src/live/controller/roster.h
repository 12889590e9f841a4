/* src/live/controller/roster.h - who is there, what they told last, and in which order they take part in
 * trials. */
#ifndef LIVE_CONTROLLER_ROSTER_H
#define LIVE_CONTROLLER_ROSTER_H

#include "live/controller/state.h"

/* A device says hello on a link: it is new, or is back. NULL: there is no room for another. */
struct peer *roster_on_hello(struct controller *, uint32_t link, const struct msg *, uint64_t now_us);
void         roster_on_report(struct controller *, struct peer *, const struct msg *, uint64_t now_us);

/* By name; NULL: there is none. */
struct peer *roster_find(struct controller *, const char *name);

/* NULL: nobody has said hello there. */
struct peer *roster_of_link(struct controller *, uint32_t link);
void         roster_cut(struct controller *, uint32_t link);

/* Its agent said goodbye. */
void         roster_leave(struct controller *, struct peer *);

/* Drops one that does not report. Others may move: pointers to peers are void afterwards. */
void         roster_forget(struct controller *, struct peer *);

/* Has it reported lately? */
bool roster_is_fresh(const struct controller *, const struct peer *, uint64_t now_us);

/* The share of hosts of which a device has reported lately, of those that have not left; 1 if there are none.
 * Devices of one host are of one agent: one that is silent while another reports is not there. */
double roster_coverage(const struct controller *, uint64_t now_us);

/* Once per interval: devices that have been silent for long have no rank. */
void roster_look(struct controller *, uint64_t now_us);

/* An instant of our clock, by the clock of the device. */
uint64_t roster_instant(const struct peer *, uint64_t at_us);

/* Gives ranks: devices of a kind by strikes and then by a digest of their names, the last of them held
 * back. */
void roster_rank(struct controller *);

/* For a trial: ranks first those that have something to change and report a metric, then those without a
 * metric. A stage of others would show nothing. */
void roster_rank_for_trial(struct controller *);

/* The device on which things are tried first: a NIC, or else a switch. NULL: there is none that reports. */
struct peer *roster_canary(struct controller *, uint64_t now_us);

/* Is a device in the first, or the second, group of a stage? */
bool roster_is_in(const struct controller *, const struct peer *, uint32_t stage, bool is_whole, int group);

/* What tells the groups of a stage apart in the interval that ended: the first's metric less that of the
 * second or, where there is none, of the others. NAN: it was not measured. */
double roster_value(const struct controller *, uint32_t stage, bool is_whole);

/* The mean metric of all in the interval that ended. */
double roster_metric(const struct controller *);

/* The mean share of the time that devices of a kind without the trial's change were paused; NAN: none of them
 * knows. */
double roster_control(const struct controller *, enum knob_where, uint64_t now_us);

/* Values of these knobs at the devices that a trial may set or, if it may set none, at all: the confirmed ones or those of the baseline.
 * A knob of which they do not all hold the same value is not named. */
struct knob_set roster_held(const struct controller *, const struct knob_set *of, bool is_baseline);

/* The interval is over. */
void roster_clear_metrics(struct controller *);

#endif
