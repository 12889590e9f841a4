/* bench/bench_evq.c - the cost of an event when n are pending.
 *
 * The hold model: pop the earliest event and schedule it again a little later, so that n stay pending. Both
 * queues, sim/evq and the plain heap of bench/lab, must pop the same events at the same times. Prints the
 * time of one pop and one add in nanoseconds.
 *
 * mixed:    delays as in a network of 100 Gb/s links of 1 us: half are a frame's time on the wire, half its
 * arrival, and
 *           one in 64 a timer or a new flow.
 * lockstep: all delays are equal and start together, so n events always have the same time.
 */
#include "base/arena.h"
#include "base/rng.h"
#include "bench.h"
#include "core/units.h"
#include "lab/evq_heap.h"
#include "sim/event/evq.h"

#include <stdbool.h>

#define RUNS       5
#define HOLDS      2000000u
#define PENDING    (1u << 17)    /* maximum */
#define DELAYS     (1u << 16)    /* drawn in advance, because a draw costs as much as a hold */
#define WIRE_PS    1088480ull    /* a full frame's arrival: 1 us and 1106 bytes */
#define SPAN_PS    (WIRE_PS + PS_PER_US)     /* the choice of sim/ for such a network, like the next */
#define GAP_PS     (80 * PS_PER_NS)          /* between two events of a port */
#define TIMER_US   100           /* mean */

static uint64_t mixed_ps[DELAYS], lockstep_ps[DELAYS];
static struct evq_heap_entry heap_entry[PENDING];

static uint64_t draw_mixed_ps(struct rng *r)
{
    uint64_t bits = rng_next(r) >> 32, frame_ps;

    if (bits % 64 == 0)
        return (uint64_t)(rng_exp(r) * TIMER_US * PS_PER_US);
    frame_ps = 80 * (bits & 64 ? 1106ull : 86ull);       /* data or ACK, preamble and gap included */
    return bits & 128 ? frame_ps : frame_ps + PS_PER_US;
}

static void fill_delays(void)
{
    struct rng rng;

    rng_init(&rng, 1, 0);
    for (uint32_t i = 0; i < DELAYS; i++) {
        mixed_ps[i] = draw_mixed_ps(&rng);
        lockstep_ps[i] = WIRE_PS;
    }
}

struct hold {
    double   ns;                 /* of one pop and one add */
    uint64_t digest;             /* of the popped events, in order */
};

static uint64_t mix(uint64_t digest, uint32_t event, uint64_t at_ps)
{
    return (digest ^ at_ps ^ (uint64_t)event << 40) * 0x9e3779b97f4a7c15ull;
}

static struct hold hold_evq(uint32_t pending, const uint64_t *delay_ps)
{
    struct evq *q = calloc(1, sizeof(*q));
    struct arena arena;
    struct hold h = { 0 };
    double start_s;
    uint32_t n = 0;

    if (!q)
        bench_fail("evq", "no memory");
    arena_init(&arena, 64u << 20);
    evq_init(q, &arena, arena_alloc(&arena, pending, EVQ_LINE), pending, GAP_PS / pending, SPAN_PS);
    for (; n < pending; n++) {
        evq_event(q, n)->next = EVQ_IDLE;
        evq_add(q, n, delay_ps[n % DELAYS], n);
    }
    start_s = bench_cpu_s();
    for (uint32_t i = 0; i < HOLDS; i++, n++) {
        uint32_t event = evq_id(q, evq_pop(q, NEVER));
        uint64_t at_ps = evq_event(q, event)->at_ps;

        h.digest = mix(h.digest, event, at_ps);
        evq_add(q, event, at_ps + delay_ps[n % DELAYS], n);
    }
    h.ns = (bench_cpu_s() - start_s) * 1e9 / HOLDS;
    arena_fini(&arena);
    free(q);
    return h;
}

static struct hold hold_heap(uint32_t pending, const uint64_t *delay_ps)
{
    struct evq_heap heap = { heap_entry, 0 };
    struct hold h = { 0 };
    double start_s;
    uint32_t n = 0;

    for (; n < pending; n++)
        evq_heap_add(&heap, n, delay_ps[n % DELAYS], n);
    start_s = bench_cpu_s();
    for (uint32_t i = 0; i < HOLDS; i++, n++) {
        struct evq_heap_entry e = evq_heap_pop(&heap);

        h.digest = mix(h.digest, e.event, e.at_ps);
        evq_heap_add(&heap, e.event, e.at_ps + delay_ps[n % DELAYS], n);
    }
    h.ns = (bench_cpu_s() - start_s) * 1e9 / HOLDS;
    return h;
}

static void print_hold(const char *queue, const char *delays, uint32_t pending, double ns)
{
    char name[64];

    snprintf(name, sizeof(name), "%s.%s.%u", queue, delays, pending);
    bench_print(name, ns, "ns/hold");
}

static void compare(const char *delays, const uint64_t *delay_ps, uint32_t pending)
{
    double evq_ns = 0, heap_ns = 0;

    for (int i = 0; i < RUNS; i++) {
        struct hold evq = hold_evq(pending, delay_ps), heap = hold_heap(pending, delay_ps);

        if (evq.digest != heap.digest)
            bench_fail(delays, "the queue and the plain heap disagree");
        evq_ns = i && evq_ns < evq.ns ? evq_ns : evq.ns;
        heap_ns = i && heap_ns < heap.ns ? heap_ns : heap.ns;
    }
    print_hold("evq", delays, pending, evq_ns);
    print_hold("evq_heap", delays, pending, heap_ns);
}

int main(void)
{
    static const uint32_t pending[] = { 128, 1024, 8192, PENDING };

    fill_delays();
    for (size_t i = 0; i < sizeof(pending) / sizeof(pending[0]); i++)
        compare("mixed", mixed_ps, pending[i]);
    for (size_t i = 0; i < sizeof(pending) / sizeof(pending[0]); i++)
        compare("lockstep", lockstep_ps, pending[i]);
    return 0;
}
