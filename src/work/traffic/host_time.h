/* src/work/traffic/host_time.h - time that programs take for operations, for jobs.
 *
 * Each worker has one CPU, which does one task at a time, in order of arrival: it posts messages, and for
 * each message that has arrived it polls its completion queue and copies the data. Requests of RDMA READ are
 * also posted, but the responder's NIC answers them without its CPU. Thinking, between two operations, takes
 * no CPU.
 *
 * A kind calls these functions when a task arrives, and continues at the time they return. The CPU does tasks
 * that follow at once, such as an answer, next. Later tasks wait for a wake-up: the CPU must not be reserved
 * for them. Without job_use_host_time(), tasks take no time.
 */
#ifndef WORK_TRAFFIC_HOST_TIME_H
#define WORK_TRAFFIC_HOST_TIME_H

#include "work/traffic/cdf.h"
#include "work/traffic/job.h"

struct entry;

enum host_time_kind { TIME_FIXED, TIME_UNIFORM, TIME_EXPONENTIAL, TIME_TABLE };

struct host_time {               /* a distribution */
    enum host_time_kind kind;
    uint64_t            ps, ps_max;  /* fixed value, mean, or bounds */
    struct cdf          table;       /* ns */
};

struct host_times {
    struct host_time post, poll, think;
    uint64_t         copy_bps;   /* 0: at once */
};

/* Keys for kinds whose hosts take time, in a struct with this member of type struct host_times. */
#define HOST_TIME_KEYS(of, member) \
    { "post_time", KEY_NAME, "0",    \
      "of a CPU to post a message: `1us`, `1us..3us`, `exp 1us` (mean) or a file of `ns probability` " \
      "lines" }, \
    { "poll_time", KEY_NAME, "0",    "likewise, to notice a message" }, \
    { "copy_rate", KEY_RATE, "none", "at which it copies the message then", \
      KEY_AT(of, member.copy_bps), .words = KEY_WORDS({ "none", 0 }) }

/* Reads the distribution that a key names, and those of HOST_TIME_KEYS. */
void entry_host_time(const struct entry *, const char *key, struct host_time *);
void entry_host_times(const struct entry *, struct host_times *);

/* Whether they take any time. */
bool host_times_are_set(const struct host_times *);

/* Takes ownership of tables, in any case. */
void job_use_host_time(struct job *, struct host_times *);

/* Return when the worker's CPU has posted a message that is due at now_ps, or taken one of 'bytes' that
 * arrived then. */
uint64_t job_cpu_post(struct job *, uint32_t worker, uint64_t now_ps);
uint64_t job_cpu_take(struct job *, uint32_t worker, uint64_t now_ps, uint64_t bytes);

/* Returns when the worker has thought. */
uint64_t job_think(struct job *, uint32_t worker, uint64_t now_ps);

/* ---- for work/traffic/ ---- */

void host_time_free(struct job *);
void host_times_fini(struct host_times *);

#endif
