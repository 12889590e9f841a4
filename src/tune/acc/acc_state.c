#include "tune/acc/acc_state.h"
#include "base/rng.h"
#include "core/units.h"
#include "tune/acc/acc_action.h"

#include <stddef.h>

#define LN_2            0.69314718055994530942
#define QUEUE_LOG_MAX   14       /* log2 of the longest queue in KB that the feature resolves */
#define LINEAR_BYTES    10000000

const char *const acc_reward_names[] = { "step", "linear", NULL };

static double at_most_one(double x)
{
    return x < 1 ? x : 1;
}

double acc_delay(enum acc_reward kind, uint64_t queue_bytes)
{
    uint32_t n = 0;

    if (kind == ACC_LINEAR)
        return queue_bytes < LINEAR_BYTES ? 1 - (double)queue_bytes / LINEAR_BYTES : 0;
    while (n < ACC_LEVELS && acc_level_bytes(n) < queue_bytes)
        n++;
    return 1 - n / 10.0;
}

void acc_see(struct acc_seen *s, const struct queue_slot *q, const struct queue_facts *facts,
             uint64_t slot_ps, uint32_t action, uint32_t actions, enum acc_reward reward)
{
    double bytes_max = (double)facts->rate_bps / 8 * (double)slot_ps / (double)PS_PER_S;
    double log = q->queue_bytes_mean ? rng_log(1 + (double)q->queue_bytes_mean / 1000) / LN_2 : 0;

    *s = (struct acc_seen){
        .feature = { at_most_one(log / QUEUE_LOG_MAX), at_most_one((double)q->tx_bytes / bytes_max),
                     at_most_one((double)q->marked_bytes / bytes_max), (double)action / (actions - 1) },
        .delay = acc_delay(reward, q->queue_bytes_mean),
    };
    s->throughput = s->feature[1];
}

/* log2(1 + KB) / 14 of 5, 20, 80 and 320 KB. */
static const float queue_step[] = { 0.18464018f, 0.31373696f, 0.45284643f, 0.59474496f };
static const float sent_step[] = { 0.8f, 0.95f };

#define ROWS (sizeof queue_step / sizeof *queue_step + 1)

uint32_t acc_rule_cell(const float *feature)
{
    uint32_t row = 0, column = 0;

    while (row < ROWS - 1 && feature[0] > queue_step[row])
        row++;
    while (column < sizeof sent_step / sizeof *sent_step && feature[1] >= sent_step[column])
        column++;
    return column * (uint32_t)ROWS + row;
}
