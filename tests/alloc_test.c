/* tests/alloc_test.c - no memory is allocated or freed between the first event and the last.
 *
 * Counts calls of malloc(), mmap() and the like. In a plain build, functions of those names here override the
 * C library's. In a build with a sanitizer, which overrides them itself, its hooks count (mmap() is then not
 * seen).
 */
#include "study/scenario/scenario.h"
#include "work/traffic/traffic.h"
#include "sim/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#endif

static volatile uint64_t calls; /* compilers assume that malloc() leaves our variables alone; ours does not */

#ifdef HAS_SANITIZER

int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                              void (*)(const volatile void *));

static void on_malloc(const volatile void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
    calls++;
}

static void on_free(const volatile void *memory)
{
    (void)memory;
    calls++;
}

static int count_calls(void **unused)
{
    (void)unused;
    return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0 ? 0 : -1;
}

#else

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void  __libc_free(void *);

void *malloc(size_t bytes)
{
    calls++;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    calls++;
    return __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    calls++;
    return __libc_realloc(old, bytes);
}

void free(void *memory)
{
    calls++;
    __libc_free(memory);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    calls++;
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

static int count_calls(void **unused)
{
    (void)unused;
    return 0;
}

#endif

static const char *const scenarios[] = {
    "{topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us},"
    " traffic: [{kind: poisson, sizes: FB_Hadoop, load: 0.8, stop: 300us}]}",
    /* 400 flows of one host at once: its tables grow */
    "{topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us}, switch: {buffer: 3MB},"
    " traffic: [{kind: incast, senders: 8, flows: 400, size: 3KB, period: 300us, stop: 1ms}]}",
    "{topology: {kind: clos, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us, loss: 0.001,"
    " links_down: [{a: tor0, b: spine1, down: 50us, up: 200us}]}, switch: {lossless: no, buffer: 300KB}, "
    "host: {rto: 300us},"
    " traffic: [{kind: poisson, sizes: WebSearch, load: 0.3, stop: 500us}]}",
    "{model: hpcc, topology: {kind: star, hosts: 17, rate: 25Gbps, delay: 1us},"
    " traffic: [{kind: incast, senders: 16, size: 200KB}]}",
    "{topology: {kind: clos, tors: 4, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us},"
    " traffic: [{kind: storage, stop: 300us}, {kind: rpc, sizes: GoogleRPC, load: 0.4, stop: 300us}]}",
    "{topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us},"
    " traffic: [{kind: many_to_one, qps: 200, size: 3KB, spread: 100us},"
    " {kind: long_short, shorts: 500, short_size: 3KB, long_size: 1MB, after: 0, period: 500us, stop: 1ms}]}",
    "{topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 1us},"
    " traffic: [{kind: posted, qps: 20, outstanding: 7, size: 3KB, spread: 10us, redraw: 100us, "
    "stop: 500us}]}",
    "{cc: dcqcn_plus, knobs: {kmin: 5, kmax: 50}, topology: {kind: star, hosts: 9, rate: 100Gbps, "
    "delay: 1us},"
    " traffic: [{kind: incast, senders: 8, flows: 400, size: 3KB, period: 300us, stop: 1ms}]}",
};

static void on_done(void *arg, const struct flow_result *r)
{
    *(uint64_t *)arg += r->bytes;
}

static void run__allocates_no_memory(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        uint64_t        before, after, bytes = 0;
        struct scenario scenario;
        struct sim     *s;
        struct err      err;

        if (scenario_parse(&scenario, "test", scenarios[i], strlen(scenarios[i]), NULL, 0, NULL, &err) ||
            scenario_start(&scenario, &s, &err))
            die("%s", err.text);
        s->engine.hooks = (struct sim_hooks){ &bytes, on_done, NULL };
        before = calls;
        while (sim_run_until(s, s->engine.now_ps + 100 * PS_PER_US))
            continue;
        after = calls;
        assert_true(s->is_done && s->engine.counters.events > 1000);
        assert_int_equal(bytes, s->engine.counters.bytes_done);
        assert_int_equal(after - before, 0);
        sim_free(s);
        scenario_fini(&scenario);
    }
}

/* Flows are created one by one, so any number of them needs no memory. */
static void traffic__needs_no_memory_per_flow(void **unused)
{
    static const char text[] = "{topology: {kind: clos, tors: 8, hosts_per_tor: 16, spines: 4}, run: 20ms,"
                               " traffic: [{kind: poisson, sizes: FB_Hadoop, load: 30%}]}";
    uint64_t          before, after, flows = 0;
    struct flow_spec  f;
    struct scenario   scenario;
    struct err        err;

    (void)unused;
    if (scenario_parse(&scenario, "test", text, strlen(text), NULL, 0, NULL, &err))
        die("%s", err.text);
    before = calls;
    for (uint32_t i = 0; i < traffic_streams(scenario.traffic); i++)
        while (traffic_next(scenario.traffic, i, &f))
            flows++;
    after = calls;
    assert_true(flows > 70000);
    assert_int_equal(after - before, 0);
    scenario_fini(&scenario);
}

/* Checks that the counter counts. */
static void calls__are_counted(void **unused)
{
    uint64_t       before = calls;
    void *volatile memory = malloc(10);
    uint64_t       after_malloc = calls;

    (void)unused;
    free(memory);
    assert_int_equal(after_malloc - before, 1);
    assert_int_equal(calls - after_malloc, 1);
    before = calls;
    memory = calloc(2, 8);
    memory = realloc(memory, 100);
    assert_true(calls - before >= 2);
    free(memory);
#ifndef HAS_SANITIZER
    before = calls;
    memory = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(calls - before, 1);
    munmap(memory, 4096);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls__are_counted, count_calls),
        cmocka_unit_test(run__allocates_no_memory),
        cmocka_unit_test(traffic__needs_no_memory_per_flow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
