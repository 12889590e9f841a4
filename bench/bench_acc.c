/* bench/bench_acc.c - what ACC costs a switch.
 *
 *   bench_acc [-n RUNS]
 *
 * decide:   one decision for one queue: what is seen becomes the state of a net, the net chooses a setting.
 * switch48: the share of a core that a switch of 48 ports takes, with a slot of 500 us and ten readings of
 *           each queue length and the counters in it. Frozen, learning from a batch every slot, and frozen
 *           with all ports idle, for which the net is not asked. Otherwise all ports are busy.
 */
#include "base/err.h"
#include "base/rng.h"
#include "bench.h"
#include "core/units.h"
#include "tune/acc/acc.h"

#include <string.h>
#include <unistd.h>

#define PORTS    48
#define SLOTS    2000
#define SLOT_US  500.0
#define SAMPLES  10

static int runs = 5;

struct port { uint64_t queue_bytes, tx_bytes, marked_bytes; };       /* what a switch has in its registers */

struct bench {
    struct queue_facts facts[PORTS];
    struct port        port[PORTS];
    struct queue_slot  slot[PORTS];
    uint64_t           sum[PORTS], was_tx[PORTS], was_marked[PORTS];
    struct ecn         ecn[PORTS];
    struct tuner       tuner;
    struct rng         rng;
};

static void open_tuner(struct bench *b, const char *train)
{
    struct world        world = { .seed = 1, .queue = b->facts, .queues = PORTS };
    struct option_values v;
    struct err          err;
    int                 rc;

    option_values_init(tuner_acc.option, &v);
    rc = option_values_set(tuner_acc.option, tuner_acc.name, &v, "model", "none", &err);
    if (!rc)
        rc = option_values_set(tuner_acc.option, tuner_acc.name, &v, "train", train, &err);
    if (!rc)
        rc = option_values_set(tuner_acc.option, tuner_acc.name, &v, "slot_us", "500", &err);
    if (!rc)
        rc = option_values_set(tuner_acc.option, tuner_acc.name, &v, "guard", "no", &err);
    for (int i = 0; i < PORTS; i++)
        b->facts[i] = (struct queue_facts){ .rate_bps = 25000000000 };
    if (!rc)
        rc = tuner_open(&b->tuner, &tuner_acc, &world, &v, &err);
    if (rc)
        bench_fail("acc", err.text);
    option_values_fini(&v);
}

/* Traffic that never stands still, so that no queue is idle; or none. */
static void pass_time(struct bench *b, bool is_idle)
{
    if (is_idle)
        return;
    for (int i = 0; i < PORTS; i++) {
        b->port[i].queue_bytes = 6000 + rng_below(&b->rng, 400000);
        b->port[i].tx_bytes += 100000 + rng_below(&b->rng, 50000);
        b->port[i].marked_bytes += rng_below(&b->rng, 20000);
    }
}

static void sample(struct bench *b)
{
    for (int i = 0; i < PORTS; i++)
        b->sum[i] += ((volatile struct port *)b->port)[i].queue_bytes;
}

static void read_slot(struct bench *b)
{
    for (int i = 0; i < PORTS; i++) {
        b->slot[i] = (struct queue_slot){
            .tx_bytes = b->port[i].tx_bytes - b->was_tx[i],
            .marked_bytes = b->port[i].marked_bytes - b->was_marked[i],
            .queue_bytes_mean = b->sum[i] / SAMPLES, .ecn = b->ecn[i],
        };
        b->was_tx[i] = b->port[i].tx_bytes;
        b->was_marked[i] = b->port[i].marked_bytes;
        b->sum[i] = 0;
    }
}

/* CPU time of a slot, without the passing of time. */
static double run_switch(const char *train, bool is_idle)
{
    static struct bench b;
    struct acc_figures  f;
    double              s = 0;

    memset(&b, 0, sizeof b);
    rng_init(&b.rng, 1, 0);
    open_tuner(&b, train);
    for (int n = 0; n < SLOTS; n++) {
        double before;

        pass_time(&b, is_idle);
        before = bench_cpu_s();
        for (int i = 0; i < SAMPLES; i++)
            sample(&b);
        read_slot(&b);
        tuner_acc.slot(b.tuner.state, b.slot);
        tuner_acc.queues(b.tuner.state, b.ecn);
        s += bench_cpu_s() - before;
    }
    acc_figures(&b.tuner, &f);
    if (is_idle ? f.decisions > 0 : f.decisions < (uint64_t)PORTS * SLOTS * 9 / 10)
        bench_fail("acc", is_idle ? "idle queues were not skipped" : "queues that should be busy were idle");
    tuner_close(&b.tuner);
    return s / SLOTS;
}

static double best_of(const char *train, bool is_idle)
{
    double best = run_switch(train, is_idle);

    for (int i = 1; i < runs; i++) {
        double s = run_switch(train, is_idle);

        best = s < best ? s : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    double frozen, learning, idle;

    for (int c; (c = getopt(argc, argv, "n:")) != -1; ) {
        if (c != 'n' || (runs = atoi(optarg)) < 1) {
            fprintf(stderr, "usage: bench_acc [-n RUNS]\n");
            return 2;
        }
    }
    frozen = best_of("no", false);
    learning = best_of("yes", false);
    idle = best_of("no", true);
    bench_print("acc.decide", frozen / PORTS * 1e9, "ns/queue");
    bench_print("acc.switch48_frozen", 100 * frozen / (SLOT_US * 1e-6), "%core");
    bench_print("acc.switch48_idle", 100 * idle / (SLOT_US * 1e-6), "%core");
    bench_print("acc.switch48_learning", 100 * learning / (SLOT_US * 1e-6), "%core");
    return 0;
}
