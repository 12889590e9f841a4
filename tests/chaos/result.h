/* tests/chaos/result.h - promises, mutations and the result of a fault history. */
#ifndef TESTS_CHAOS_RESULT_H
#define TESTS_CHAOS_RESULT_H

#include <stdint.h>

/* The promises of docs/live.md, "What it never does", and those of its agents and controllers. Rows: name,
 * description. */
#define CHAOS_PROMISES(X) \
    X(observe, "nothing is written in observe mode") \
    X(limits, "no value outside its bounds, and no knob that may not be set, is written") \
    X(step, "no change is larger than the largest step") \
    X(pace, "no two changes are closer than the gap, or more than the budget of a day") \
    X(volatile, "a driver restart undoes all changes") \
    X(foreign, "no foreign value is overwritten") \
    X(lease, "no unconfirmed value stays in a device that lost its controller") \
    X(knowledge, "nothing is changed on old reports, on an unreadable device, or with a full disk") \
    X(term, "never two writers: only the newest controller's changes are written") \
    X(guard, "an unconfirmed value is reverted soon after a guardrail was broken") \
    X(audit, "the log explains every value, and no line of it was changed, removed or added") \
    X(freeze, "nothing is tried on a frozen device or fabric") \
    X(approval, "no trial runs without approval, in mode approve") \
    X(pause, "no trial begins during the pause after too many harmful ones") \
    X(rollback, "an active controller never refuses a rollback") \
    X(deposed, "only another controller can depose a controller") \
    X(lasting, "in the end, devices hold the confirmed setting, and their agents obey a controller") \
    X(others, "no liar stops the trials of others")

#define CHAOS_PROMISE_ENUM(name, text) PROMISE_##name,
enum chaos_promise { CHAOS_PROMISES(CHAOS_PROMISE_ENUM) PROMISES };

/* Worlds in which a promise is broken, because a safeguard was removed: histories must find it. Rows: name,
 * description of the world. */
#define CHAOS_MUTATIONS(X)                                                                                  \
    X(none, "no safeguard is removed")                                                                      \
    X(no_lease, "agents take leases for an hour long")                                                      \
    X(no_term, "messages of old controllers look like those of the newest, and controllers do not notice "  \
               "newer ones")                                                                                \
    X(no_read_back, "a read after a write always returns the written value, even if the device has another")\
    X(no_audit, "lines of the log vanish")                                                                  \
    X(no_guard, "counters hide that a guardrail is broken")                                                 \
    X(any_term, "a controller accepts any higher term from any party")                                      \
    X(any_first_term, "a starting controller takes a term above any that a party claims")                   \
    X(any_name, "certificates do not limit which party speaks for which device")                            \
    X(any_gap, "a controller waits as long as any device demands")                                          \
    X(no_limits, "agents set any knob to any value")                                                        \
    X(no_observe, "agents write in observe mode")                                                           \
    X(no_refusal, "agents do not ask devices whether they accept changes")                                  \
    X(no_gap, "agents change settings as often as requested")                                               \
    X(no_foreign, "agents do not see foreign values while a change is open")                                \
    X(no_freeze, "agents forget that they are frozen")                                                      \
    X(full_disk, "a full disk pretends to have saved the data")                                             \
    X(any_approval, "an approval applies to any trial that waits")                                          \
    X(no_pause, "harmful trials are not counted")                                                           \
    X(short_pause, "a restart ends the pause")                                                              \
    X(no_rollback, "a rollback is refused during a trial")                                                  \
    X(one_copy, "a damaged file counts as missing")                                                         \
    X(no_log_repair, "an agent whose log is damaged does not start")                                        \
    X(no_deadman, "guards never revert by themselves")

#define CHAOS_MUTATION_ENUM(name, text) CHAOS_##name,
enum chaos_mutation { CHAOS_MUTATIONS(CHAOS_MUTATION_ENUM) CHAOS_MUTATION_KINDS };

struct chaos_result {
    char     broken[600];        /* which promise, where and when; "": no promise was broken */
    enum chaos_promise promise;  /* the broken one */
    uint64_t digest;             /* digest of all events: equal for equal seeds */
    uint64_t events, faults;
    uint64_t relayed;            /* agents behind relays, summed over their ticks */
    uint64_t lies, unreadable;   /* sent; of these, rejected by the codec or because of the certificate */
    uint64_t damaged;            /* files */
    uint64_t drills;             /* drills that began */
    uint64_t stalls, guarded;    /* system calls that took long; reverts by guards on their own */
    uint64_t applied, confirmed, reverted, adopted, kills, terms;
};

#endif
