/* src/tune/contest.h - compares two settings on the network itself, by what hosts report: how fast messages
 * are, and how fast jobs go on.
 *
 * Blocks of intervals with A, the setting to fall back to, and B alternate in random order (base/evidence). B
 * wins at any time with an e-value of 20. A wins when B has not been better in the mean of four pairs, or has
 * cost too much. When all pairs are used up, the rule decides. A block without messages says nothing of its
 * setting, so its pair does not count as better.
 *
 * Messages of a job follow one another, so the number that it posts is its progress. A job whose messages are
 * as fast may still go on more slowly, if those that the others wait for are slower. Where jobs post most of
 * the bytes, their progress is compared in place of the messages. B never wins if a job, whatever its share,
 * makes less progress than the goal allows (job_bound). A rule can limit the progress that B may cost a job:
 * the contest then ends in the interval in which that is exceeded, not at the end of a pair of blocks.
 *
 * A message that was posted in one block and ends in the next is counted for the wrong setting. So the part
 * of a block that does not count is twice as long as messages take, by Little's law. Where that is too long,
 * there is no contest. If only elephants take too long (queue pairs that always send), a rule may judge them
 * by goodput instead, most of which is theirs.
 */
#ifndef TUNE_CONTEST_H
#define TUNE_CONTEST_H

#include "base/evidence/evalue.h"
#include "core/seen/seen.h"
#include "core/tuning_goal.h"

#define CONTEST_WATCH 16         /* intervals before the first change of a network's setting */

struct contest_rule {
    uint32_t pairs;              /* at most */
    double   harm_max;           /* sum of the logarithms by which B was slower that ends it; 0: no limit */
    double   job_cost_max;       /* intervals of its progress that a job may lose by B; 0: no limit */
    bool     is_lenient;         /* B wins after the last pair if it is better by its standard error */
    bool     is_rate_enough;     /* elephants that take too long count by goodput; false: no contest then */
};

enum contest_verdict { CONTEST_ON, CONTEST_A, CONTEST_B };

struct contest {
    struct contest_rule rule;
    struct goal         goal;
    struct pairing      pairing;
    struct evalue       evalue;      /* of log ratios of messages, or of shares of progress of jobs */
    struct outcomes     before;  /* what differences are relative to */
    uint32_t            intervals;
    bool                is_by_rate;  /* elephants count by goodput */

    struct contest_job {
        uint64_t bytes;          /* of its messages; 0: no job */
        double   before;         /* messages posted per interval */
        double   posted[2];      /* by arm, in the intervals that count, */
        double   posted_ever[2]; /* and in all intervals; of A also before the contest */
        bool     is_large;       /* its share of bytes is large enough to measure what it loses */
    }                   job[SEEN_JOBS];
    uint32_t            counted[2];          /* how many intervals count, */
    uint32_t            ran[2];              /* and how many there were, by arm */
    bool                is_of_jobs;          /* they post most of the bytes */
};

/* True if messages are short enough for a contest. 'window' has those of the last 'intervals'. */
bool contest_is_possible(const struct seen *window, uint32_t intervals);

/* Returns false if it is not possible. */
bool contest_begin(struct contest *, const struct contest_rule *, const struct goal *,
                   const struct seen *window, uint32_t intervals, uint64_t seed);

/* True if B is the setting of the next interval. */
bool contest_is_b(const struct contest *);

/* Intervals of its progress that B has cost the large job that lost most; 0: none has lost. */
double contest_job_cost(const struct contest *);

/* True if there is a large job. */
bool contest_has_jobs(const struct contest *);

/* Adds the messages of an interval (NULL: they are unknown) and the payload that it delivered. */
enum contest_verdict contest_add(struct contest *, const struct seen *, double payload_bytes);

/* True if jobs post most of the bytes. */
bool contest_is_of_jobs(const struct seen *);

/* "in 6 pairs of blocks messages are 3.1 % faster". Returns buf. */
#define CONTEST_TEXT 128
const char *contest_text(const struct contest *, char buf[CONTEST_TEXT]);

#endif
