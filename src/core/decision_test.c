/* src/core/decision_test.c - scopes in a network of two hosts, a ToR and a spine. */
#include "core/decision.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct world_device devices[] = {
    { "h0", WORLD_HOSTS, 0, 1 }, { "h1", WORLD_HOSTS, 1, 1 }, { "tor0", WORLD_TORS, 2, 3 },
        { "spine0", 2, 5, 1 },
};
static struct world_port ports[] = {
    { "1", 0, 2, 0 }, { "1", 1, 3, 0 }, { "1", 2, 0, 0 }, { "2", 2, 1, 0 }, { "3", 2, 5, 0 },
        { "1", 3, 4, 0 },
};
static struct queue_facts queues[] = { { .port = 2 }, { .port = 3 }, { .port = 4 },
                                       { .device = 1, .port = 5 } };
static const struct world world = { .device = devices, .devices = 4, .port = ports, .ports = 6,
                                    .queue = queues, .queues = 4 };

static void has_device__by_hand(void **state)
{
    static const struct { struct scope scope; bool has[4]; const char *text; } rows[] = {
        { { SCOPE_FABRIC, 0 }, { 1, 1, 1, 1 }, "everywhere" },
        { { SCOPE_TIER, WORLD_HOSTS }, { 1, 1, 0, 0 }, "tier 0" },
        { { SCOPE_TIER, 2 }, { 0, 0, 0, 1 }, "tier 2" },
        { { SCOPE_DEVICE, 2 }, { 0, 0, 1, 0 }, "tor0" },
        { { SCOPE_QUEUE, 1 }, { 0, 0, 0, 0 }, "the queue of tor0:2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[64];

        assert_true(scope_is_of(rows[i].scope, &world));
        assert_string_equal(scope_text(text, sizeof text, rows[i].scope, &world), rows[i].text);
        for (uint32_t d = 0; d < 4; d++)
            assert_int_equal(scope_has_device(rows[i].scope, &world, d), rows[i].has[d]);
    }
}

static void is_of__rejects_scopes_outside_the_world(void **state)
{
    (void)state;
    assert_false(scope_is_of((struct scope){ SCOPE_TIER, 3 }, &world));
    assert_false(scope_is_of((struct scope){ SCOPE_DEVICE, 4 }, &world));
    assert_false(scope_is_of((struct scope){ SCOPE_QUEUE, 4 }, &world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_device__by_hand),
        cmocka_unit_test(is_of__rejects_scopes_outside_the_world),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
