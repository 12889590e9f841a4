#include "study/campaign/variants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_sets(const struct axis_choice *c, const char *name, uint32_t sets, const char *first)
{
    assert_string_equal(name, c->name);
    assert_int_equal(sets, c->sets);
    if (sets > 0)
        assert_string_equal(first, c->set[0]);
}

static void vary__makes_one_choice_per_value(void **unused)
{
    struct axis a;

    (void)unused;
    assert_int_equal(0, axis_vary(&a, "kmin=100KB,400KB", NULL));
    assert_int_equal(2, a.choices);
    assert_sets(&a.choice[0], "kmin=100KB", 1, "kmin=100KB");
    assert_sets(&a.choice[1], "kmin=400KB", 1, "kmin=400KB");
    axis_fini(&a);
}

static void vary__does_not_split_lists_and_maps(void **unused)
{
    struct axis a;

    (void)unused;
    assert_int_equal(0, axis_vary(&a, "traffic.0.hosts=[1,2],{a: [3,4], b: 5},6", NULL));
    assert_int_equal(3, a.choices);
    assert_sets(&a.choice[0], "traffic.0.hosts=[1,2]", 1, "traffic.0.hosts=[1,2]");
    assert_sets(&a.choice[1], "traffic.0.hosts={a: [3,4], b: 5}", 1, "traffic.0.hosts={a: [3,4], b: 5}");
    assert_sets(&a.choice[2], "traffic.0.hosts=6", 1, "traffic.0.hosts=6");
    axis_fini(&a);
}

static void vary__refuses(void **unused)
{
    static const char *const texts[] = { "kmin", "=1", "kmin=", "kmin=1,", "kmin=,1", "kmin=1,,2" };
    struct axis a;

    (void)unused;
    for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct err err = { "" };

        assert_int_equal(-EINVAL, axis_vary(&a, texts[i], &err));
        assert_non_null(strstr(err.text, texts[i]));
        assert_null(a.choice);
    }
}

static void add_variant__reads_a_name_and_settings(void **unused)
{
    struct axis a = { 0 };

    (void)unused;
    assert_int_equal(0, axis_add_variant(&a, "default", NULL));
    assert_int_equal(0, axis_add_variant(&a, "empty:", NULL));
    assert_int_equal(0, axis_add_variant(&a, "fast:kmin=1MB,kmax=2MB,name=a:b", NULL));
    assert_int_equal(3, a.choices);
    assert_sets(&a.choice[0], "default", 0, NULL);
    assert_sets(&a.choice[1], "empty", 0, NULL);
    assert_sets(&a.choice[2], "fast", 3, "kmin=1MB");
    assert_string_equal("kmax=2MB", a.choice[2].set[1]);
    assert_string_equal("name=a:b", a.choice[2].set[2]);
    assert_int_equal(-EINVAL, axis_add_variant(&a, "kmin=1MB", NULL));
    assert_int_equal(-EINVAL, axis_add_variant(&a, ":kmin=1MB", NULL));
    assert_int_equal(-EINVAL, axis_add_variant(&a, "slow:kmin", NULL));
    axis_fini(&a);
}

static void init__makes_all_combinations(void **unused)
{
    static const char *const want[] = {
        "a x=1 y=3", "a x=1 y=4", "a x=2 y=3", "a x=2 y=4",
        "b x=1 y=3", "b x=1 y=4", "b x=2 y=3", "b x=2 y=4",
    };
    const struct scenario_file file[] = { { .path = "dir/a.yaml" }, { .path = "b.yaml" } };
    const char *const set[] = { "z=9" };
    struct axis axis[3];
    struct variants v;

    (void)unused;
    axis_of_files(&axis[0], file, 2);
    assert_int_equal(0, axis_vary(&axis[1], "x=1,2", NULL));
    assert_int_equal(0, axis_vary(&axis[2], "y=3,4", NULL));
    assert_int_equal(0, variants_init(&v, axis, 3, file, set, 1, VARIANTS_MAX, NULL));
    assert_int_equal(8, v.count);
    for (uint32_t i = 0; i < 8; i++) {
        assert_string_equal(want[i], v.list[i].name);
        assert_ptr_equal(&file[i / 4], v.list[i].file);
        assert_int_equal(3, v.list[i].sets);
        assert_int_equal(2, v.list[i].own);
        assert_string_equal("z=9", v.list[i].set[0]);
        assert_string_equal(i / 2 % 2 ? "x=2" : "x=1", v.list[i].set[1]);
        assert_string_equal(i % 2 ? "y=4" : "y=3", v.list[i].set[2]);
    }
    assert_int_equal(5, variants_find(&v, "b x=1 y=4", NULL));
    assert_int_equal(-EINVAL, variants_find(&v, "b x=1 y=5", NULL));
    variants_fini(&v);
    for (int i = 0; i < 3; i++)
        axis_fini(&axis[i]);
}

static void of_files__distinguishes_equal_names(void **unused)
{
    const struct scenario_file file[] = { { .path = "one/s.yaml" }, { .path = "two/s.yaml" } };
    struct axis axis;
    struct variants v;

    (void)unused;
    axis_of_files(&axis, file, 2);
    assert_string_equal("one/s.yaml", axis.choice[0].name);
    assert_string_equal("two/s.yaml", axis.choice[1].name);
    axis_fini(&axis);
    axis_of_files(&axis, file, 1);
    assert_int_equal(0, variants_init(&v, &axis, 1, file, NULL, 0, VARIANTS_MAX, NULL));
    assert_string_equal("s", v.list[0].name);
    variants_fini(&v);
    axis_fini(&axis);
}

static void init__refuses_equal_names_and_too_many(void **unused)
{
    const struct scenario_file file = { .path = "s.yaml" };
    struct axis axis[11];
    struct variants v;

    (void)unused;
    axis_of_files(&axis[0], &file, 1);
    assert_int_equal(0, axis_vary(&axis[1], "kmin=1KB,1KB", NULL));
    assert_int_equal(-EINVAL, variants_init(&v, axis, 2, &file, NULL, 0, VARIANTS_MAX, NULL));
    for (int i = 2; i < 11; i++)
        assert_int_equal(0, axis_vary(&axis[i], "kmin=1KB,2KB", NULL));
    assert_int_equal(-EINVAL, variants_init(&v, axis, 11, &file, NULL, 0, VARIANTS_MAX, NULL));
    for (int i = 0; i < 11; i++)
        axis_fini(&axis[i]);
}

/* ---- digests ---- */

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Opens a variant for its digest, and makes the key of a run from it. */
static void key_of(char key[DIGEST_TEXT_SIZE], struct variant *v, uint64_t seed)
{
    struct simulation s;
    struct err err;

    if (variant_open(v, &seed, &s, &v->digest, &err))
        fail_msg("%s", err.text);
    simulation_close(&s);
    variant_key(key, v, seed);
}

static void key__changes_with_all_that_decides_a_run(void **unused)
{
    static const char text[] = "topology: {kind: star, hosts: 2}\n"
                               "traffic: [{kind: poisson, sizes: sizes.cdf, load: 0.1}]\nrun: 10us\n";
    static const char other[] = "topology: {kind: star, hosts: 3}\n"
                                "traffic: [{kind: poisson, sizes: sizes.cdf, load: 0.1}]\nrun: 10us\n";
    char folder[] = "/tmp/variants_test.XXXXXX", path[64], cdf[64];
    char first[DIGEST_TEXT_SIZE], key[DIGEST_TEXT_SIZE];
    const char *set[] = { "kmin=1KB" }, *other_set[] = { "kmin=2KB" };
    struct scenario_file file = { path, (char *)text, sizeof(text) - 1 };
    struct variant v = { .name = (char *)"x", .file = &file, .set = set, .sets = 1 };

    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/s.yaml", folder);
    snprintf(cdf, sizeof(cdf), "%s/sizes.cdf", folder);
    write_file(cdf, "1000 0\n2000 1\n");
    key_of(first, &v, 1);
    key_of(key, &v, 1);
    assert_string_equal(first, key);
    key_of(key, &v, 2);
    assert_string_not_equal(first, key);
    v.name = (char *)"another name";
    key_of(key, &v, 1);
    assert_string_equal(first, key);
    v.set = other_set;
    key_of(key, &v, 1);
    assert_string_not_equal(first, key);
    v.set = set;
    v.until_ps = 5 * PS_PER_US;
    key_of(key, &v, 1);
    assert_string_not_equal(first, key);
    v.until_ps = 0;
    file.text = (char *)other;
    key_of(key, &v, 1);
    assert_string_not_equal(first, key);
    file.text = (char *)text;
    write_file(cdf, "1000 0\n2001 1\n");         /* a file that the scenario names */
    key_of(key, &v, 1);
    assert_string_not_equal(first, key);
    write_file(cdf, "1000 0\n2000 1\n");
    key_of(key, &v, 1);
    assert_string_equal(first, key);
    unlink(cdf);
    rmdir(folder);
}

static void open__names_the_faulty_variant(void **unused)
{
    static const char text[] =
        "topology: {kind: star, hosts: 2}\ntraffic: [{kind: incast, senders: 1, size: 1KB}]\n";
    const char *set[] = { "kmin=1KB", "kmim=1KB" };
    const struct scenario_file file = { "s.yaml", (char *)text, sizeof(text) - 1 };
    struct variant v = { .name = (char *)"fast", .file = &file, .set = set, .sets = 2, .own = 1 };
    struct simulation s;
    struct digest d;
    struct err err;

    (void)unused;
    assert_int_not_equal(0, variant_open(&v, NULL, &s, &d, &err));
    assert_string_equal("variant 'fast': kmim=1KB: 'kmim' is not a knob or a key; did you mean 'kmin'?",
                        err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vary__makes_one_choice_per_value),
        cmocka_unit_test(vary__does_not_split_lists_and_maps),
        cmocka_unit_test(vary__refuses),
        cmocka_unit_test(add_variant__reads_a_name_and_settings),
        cmocka_unit_test(init__makes_all_combinations),
        cmocka_unit_test(of_files__distinguishes_equal_names),
        cmocka_unit_test(init__refuses_equal_names_and_too_many),
        cmocka_unit_test(key__changes_with_all_that_decides_a_run),
        cmocka_unit_test(open__names_the_faulty_variant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
