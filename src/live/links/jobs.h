/* src/live/links/jobs.h - jobs as groups of NICs, and signs that the network slowed them in the last minute.
 *
 * The owner of a job lists its NICs by names or patterns ("rack7-*"). The evidence comes from NICs:
 * utilization, pauses, CNPs, retransmissions and, if the driver has them, round trips. It does not show how
 * much longer the job takes.
 */
#ifndef LIVE_LINKS_JOBS_H
#define LIVE_LINKS_JOBS_H

#include "base/json.h"
#include "base/reader.h"
#include "live/controller/roster.h"

#define JOBS_MAX          64u
#define JOBS_PATTERNS_MAX 64u
#define JOBS_NAME_SIZE    64
#define JOBS_POINTS       60     /* one a second */

/* Signs that the network holds senders back. */
#define JOBS_PAUSED       0.01   /* of the time */
#define JOBS_CNPS         0.1    /* share of looks at a NIC that had CNPs */
#define JOBS_RTT          2.0    /* times the round trip of the empty network */

struct job_names { char name[JOBS_NAME_SIZE]; char *pattern[JOBS_PATTERNS_MAX]; uint32_t patterns; };

struct job_list { struct job_names *job; uint32_t jobs; };

/* The map 'jobs' of a configuration; NULL: no jobs. */
void jobs_read(struct reader *, const struct yaml_node *map, struct job_list *);
void jobs_list_fini(struct job_list *);

/* Sums over looks at NICs; ..KNOWN: how many looks had such a value. */
enum job_sum {
    JOB_LOOKS, JOB_RETRANSMISSIONS, JOB_CNPS, JOB_CNPS_KNOWN, JOB_PAUSED, JOB_PAUSED_KNOWN,
    JOB_USE, JOB_USE_KNOWN, JOB_RTT, JOB_RTT_KNOWN,      /* RTT: times that of the empty network */
    JOB_SUMS
};

struct job_point {
    uint32_t nics, silent;
    double   sum[JOB_SUMS];
    double   paused_most;
    uint32_t paused_most_at;     /* which device */
};

struct job_past { struct job_point point[JOBS_POINTS]; uint64_t looks; };

struct jobs {
    const struct job_list *list; /* NULL: no jobs */
    struct job_past *past;       /* by job; behind them: of NICs that are in none */
    bool            *is_in;      /* by device and job */
    uint32_t         devices, roster;            /* of the controller, when they were looked for */
};

/* The list must stay as it is. */
void jobs_init(struct jobs *, const struct job_list *);
void jobs_fini(struct jobs *);
void jobs_look(struct jobs *, const struct controller *, uint64_t now_us);

/* [{"name":N,"nics":..,...},...], the last the NICs of no job, with the name ""; NULL: there are no jobs. */
json_t *jobs_json(const struct jobs *, const struct controller *);

#endif
