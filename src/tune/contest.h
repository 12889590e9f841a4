/* src/tune/contest.h - compares two settings on the network itself, by the messages that hosts report.
 *
 * Blocks of intervals with A, the setting to fall back to, and B alternate in random order (base/evidence).
 * B wins at any time with an e-value of 20. A wins when B has not been better in the mean of four pairs, or
 * has cost too much. When all pairs are used up, the rule decides. A block without messages says nothing of
 * its setting, so its pair does not count as better.
 *
 * A message that was posted in one block and ends in the next is counted for the wrong setting. So the part
 * of a block that does not count is twice as long as messages take, by Little's law. Where that is too long,
 * there is no contest. If only elephants take too long (queue pairs that always send), a rule may judge them
 * by goodput instead, most of which is theirs.
 */
#ifndef TUNE_CONTEST_H
#define TUNE_CONTEST_H

#include "base/evidence/evalue.h"
#include "base/evidence/pairing.h"
#include "core/seen/seen.h"
#include "core/tuning_goal.h"

#include <stdbool.h>
#include <stdint.h>

/* Intervals for which a network is watched before its setting is changed for the first time. */
#define CONTEST_WATCH 16

struct contest_rule {
    uint32_t pairs;              /* at most */
    double   harm_max;           /* sum of the logarithms by which B was slower that ends it; 0: no limit */
    bool     is_lenient;         /* after the last pair B wins if it is better by more than its standard
                                  * error; false: A wins */
    bool     is_rate_enough;     /* elephants that take too long count by goodput; false: no contest then */
};

enum contest_verdict { CONTEST_ON, CONTEST_A, CONTEST_B };

struct contest {
    struct contest_rule rule;
    struct goal         goal;
    struct pairing      pairing;
    struct evalue       evalue;
    struct outcomes     before;  /* what differences are relative to */
    uint32_t            intervals;
    bool                is_by_rate;  /* elephants count by goodput */
};

/* 'window' are the messages of the last 'intervals'. Returns false if messages take too long. */
bool contest_begin(struct contest *, const struct contest_rule *, const struct goal *,
                   const struct seen *window, uint32_t intervals, uint64_t seed);

/* The length of a block, in intervals. */
uint32_t contest_block(const struct contest *);

/* Is B the setting of the next interval? */
bool contest_is_b(const struct contest *);

/* Adds the messages of an interval (NULL: they are unknown) and the payload that it delivered. */
enum contest_verdict contest_add(struct contest *, const struct seen *, double payload_bytes);

/* Logarithm by which messages are faster with B, and the number of pairs that say so. */
double   contest_gain(const struct contest *);
uint32_t contest_pairs(const struct contest *);

#endif
