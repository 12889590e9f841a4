#include "tune/acc/acc_state.h"
#include "base/rng.h"
#include "core/units.h"

#include <math.h>

#define KB(x) (1000u * (x))

const char *const acc_actions_names[] = { "template", "text", "pairs", NULL };

/* From low delay to throughput; the row number is a feature of the net. Rows from 5 KB with few marks keep a
 * queue as short as rows from 50 KB with many, but halve single flows less often. */
static const struct ecn template_rows[] = {
    { 4500, 4500, 1.0 },         /* SECN0 at 100 Gb/s */
    { KB(18), KB(18), 1.0 },     /* SECN0 at 25 */
    { KB(5), KB(50), 0.5 },
    { KB(5), KB(50), 0.05 },
    { 1250, KB(50), 0.01 },      /* SECN1 at 100 Gb/s */
    { 7500, 67500, 0.1 },        /* the vendor's at 100 Gb/s */
    { KB(5), KB(100), 0.2 },
    { KB(72), KB(72), 1.0 },     /* SECN0, four times */
    { KB(5), KB(200), 0.2 },
    { KB(50), KB(200), 0.2 },
    { KB(30), KB(270), 0.1 },    /* the vendor's at 25 Gb/s */
    { KB(5), KB(200), 0.01 },    /* SECN1 at 25 Gb/s */
    { KB(5), KB(400), 0.2 },
    { KB(5), KB(400), 0.05 },
    { KB(100), KB(400), 0.2 },   /* SECN2 */
    { KB(100), KB(400), 0.05 },
    { KB(5), KB(800), 0.05 },
    { KB(200), KB(800), 0.2 },
    { KB(5), KB(800), 0.01 },
    { KB(400), KB(1600), 0.2 },
};

#define TEMPLATE_ROWS (sizeof template_rows / sizeof *template_rows)

uint64_t acc_level_bytes(uint32_t n)
{
    return (uint64_t)KB(20) << n;
}

/* All pairs kmin <= kmax of a grid, with all probabilities. */
static uint32_t list_grid(enum acc_actions kind, struct ecn *ecn)
{
    static const uint32_t coarse[] = { KB(1000), KB(2000), KB(5000), KB(10000) };
    uint32_t levels = kind == ACC_TEXT ? 4 : ACC_LEVELS, chances = kind == ACC_TEXT ? 21 : 20, n = 0;

    for (uint32_t low = 0; low < ACC_LEVELS; low++)
        for (uint32_t high = 0; high < levels; high++)
            for (uint32_t i = 0; i < chances; i++) {
                uint32_t kmin = (uint32_t)acc_level_bytes(low);
                uint32_t kmax = kind == ACC_TEXT ? coarse[high] : (uint32_t)acc_level_bytes(high);
                double   pmax = kind != ACC_TEXT ? 0.05 * (i + 1) : i == 0 ? 0.01 : 0.05 * i;

                if (kmin > kmax)
                    break;
                if (ecn)
                    ecn[n] = (struct ecn){ kmin, kmax, pmax };
                n++;
            }
    return n;
}

uint32_t acc_actions_list(enum acc_actions kind, struct ecn *ecn)
{
    if (kind != ACC_TEMPLATE)
        return list_grid(kind, ecn);
    for (uint32_t i = 0; ecn && i < TEMPLATE_ROWS; i++)
        ecn[i] = template_rows[i];
    return TEMPLATE_ROWS;
}

/* Absolute log ratio; values below 'least' count as 'least'. */
static double times_apart(double a, double b, double least)
{
    return fabs(rng_log(fmax(a, least) / fmax(b, least)));
}

uint32_t acc_actions_nearest(const struct ecn *action, uint32_t actions, const struct ecn *ecn)
{
    double   least = HUGE_VAL;
    uint32_t nearest = 0;

    for (uint32_t i = 0; i < actions; i++) {
        double apart = times_apart(action[i].kmin_bytes, ecn->kmin_bytes, 1000) +
                       times_apart(action[i].kmax_bytes, ecn->kmax_bytes, 1000) +
                       times_apart(action[i].pmax, ecn->pmax, 0.001);

        nearest = apart < least ? i : nearest;
        least = fmin(apart, least);
    }
    return nearest;
}

/* ---- what it sees ---- */

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
