/* src/live/controller/roster.h - the known devices, their last reports, and their order in trials. */
#ifndef LIVE_CONTROLLER_ROSTER_H
#define LIVE_CONTROLLER_ROSTER_H

#include "live/controller/state.h"

/* A device says hello on a link: it is new, or is back. NULL: there is no room for another. */
struct peer *roster_on_hello(struct controller *, uint32_t link, const struct msg *, uint64_t now_us);
void         roster_on_report(struct controller *, struct peer *, const struct msg *, uint64_t now_us);

/* Finds a device by name; NULL: unknown. */
struct peer *roster_find(struct controller *, const char *name);

/* NULL: no hello has arrived over this link. */
struct peer *roster_of_link(struct controller *, uint32_t link);
void         roster_cut(struct controller *, uint32_t link);

/* Its agent said goodbye. */
void         roster_leave(struct controller *, struct peer *);

/* Frees the indices of peers, not the peers. */
void         roster_fini(struct controller *);

/* Drops one that does not report. Others may move: pointers to peers are void afterwards. */
void         roster_forget(struct controller *, struct peer *);

/* Has it reported lately? */
bool roster_is_fresh(const struct controller *, const struct peer *, uint64_t now_us);

/* The fraction of hosts with a recent report, among those that have not said goodbye; 1 without hosts. The
 * devices of a host share an agent: a silent device counts as gone if another device of its host reports. */
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

/* The first device of a trial: a NIC, else a switch. NULL: no device reports. */
struct peer *roster_canary(struct controller *, uint64_t now_us);

/* Is a device in the first, or the second, group of a stage? */
bool roster_is_in(const struct controller *, const struct peer *, uint32_t stage, bool is_whole, int group);

/* The difference between the groups of a stage in the last interval: the first group's metric minus that of
 * the second or, without a second group, of all other devices. NAN: not measured. */
double roster_value(const struct controller *, uint32_t stage, bool is_whole);

/* The mean metric of all in the interval that ended. */
double roster_metric(const struct controller *);

/* The mean share of the time that devices of a kind without the trial's change were paused; NAN: none of them
 * knows. */
double roster_control(const struct controller *, enum knob_where, uint64_t now_us);

/* Values of these knobs at the devices that a trial may set or, if it may set none, at all: the confirmed
 * ones or those of the baseline. A knob of which they do not all hold the same value is not named. */
struct knob_set roster_held(const struct controller *, const struct knob_set *of, bool is_baseline);

/* The interval is over. */
void roster_clear_metrics(struct controller *);

#endif
