/* src/train/twin/twin_draw_test.c - random networks are valid, different and reproducible. */
#include "train/twin/twin_draw.h"
#include "tune/rehearse/traffic/traffic_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Size tables are increasing, hosts can carry the load, and there is a world. */
static void check_drawn(const struct twin_drawn *d)
{
    const struct traffic_sizes *s = &d->model.sizes;

    assert_in_range(s->rows, 2, TRAFFIC_SIZES_MAX);
    assert_true(s->row[0].p == 0 && s->row[s->rows - 1].p == 1);
    for (uint32_t i = 1; i < s->rows; i++) {
        assert_true(s->row[i].bytes > s->row[i - 1].bytes);
        assert_true(s->row[i].p >= s->row[i - 1].p);
    }
    assert_true(d->model.bps_per_host > 0 && d->model.bps_per_host <= 0.95 * (double)d->world.host_bps);
    assert_true(d->model.local >= 0 && d->model.local <= 1);
    assert_true(d->world.base_rtt_ps > 0);
}

static const struct yaml_node *topology(const struct twin_drawn *d)
{
    return yaml_get(d->build.root, "topology");
}

static bool is_same(const struct yaml_node *a, const struct yaml_node *b)
{
    if (!a || !b)
        return a == b;
    return a->kind == b->kind && strcmp(a->text, b->text) == 0 && (!a->key || strcmp(a->key, b->key) == 0) &&
           is_same(a->child, b->child) && is_same(a->next, b->next);
}

static void twin_draw__fifty_networks(void **state)
{
    uint32_t          slow = 0, bursts = 0, stars = 0;
    struct twin_drawn d;
    struct err        err;

    (void)state;
    for (uint64_t i = 0; i < 50; i++) {
        assert_int_equal(twin_draw(&d, 1, i, 0.009, &err), 0);
        check_drawn(&d);
        slow += yaml_get(topology(&d), "link_rates")->count > 0 &&
                *yaml_get(yaml_get(topology(&d), "link_rates")->child, "a")->text == 'h';
        bursts += d.model.bursts_per_s > 0;
        stars += strcmp(yaml_get(topology(&d), "kind")->text, "star") == 0;
        twin_drop(&d);
    }
    assert_in_range(slow, 1, 30);
    assert_in_range(bursts, 3, 30);
    assert_in_range(stars, 3, 30);
}

static void twin_draw__is_reproducible(void **state)
{
    struct twin_drawn a, b;
    struct err        err;

    (void)state;
    assert_int_equal(twin_draw(&a, 7, 3, 0.009, &err), 0);
    assert_int_equal(twin_draw(&b, 7, 3, 0.009, &err), 0);
    assert_true(is_same(a.build.root, b.build.root));
    assert_memory_equal(&a.model, &b.model, sizeof(a.model));
    twin_drop(&b);
    assert_int_equal(twin_draw(&b, 7, 4, 0.009, &err), 0);
    assert_true(a.model.bps_per_host != b.model.bps_per_host);
    twin_drop(&a);
    twin_drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twin_draw__fifty_networks),
        cmocka_unit_test(twin_draw__is_reproducible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
