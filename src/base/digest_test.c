#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void add__matches_the_published_digests(void **unused)
{
    /* Test vectors of the reference implementation. */
    static const struct { const char *text, *want; } row[] = {
        { "",       "6c62272e07bb014262b821756295c58d" },
        { "a",      "d228cb696f1a8caf78912b704e4a8964" },
        { "foobar", "343e1662793c64bf6f0d3597ba446f18" },
    };
    char text[DIGEST_TEXT_SIZE];
    struct digest d;

    (void)unused;
    for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
        digest_init(&d);
        digest_add(&d, row[i].text, strlen(row[i].text));
        assert_string_equal(row[i].want, digest_text(text, &d));
    }
}

static void add__in_pieces_equals_at_once(void **unused)
{
    struct digest whole, pieces;

    (void)unused;
    digest_init(&whole);
    digest_init(&pieces);
    digest_add(&whole, "foobar", 6);
    digest_add(&pieces, "foo", 3);
    digest_add(&pieces, "bar", 3);
    assert_true(whole.state == pieces.state);
}

static void add_text__includes_the_end_of_each_text(void **unused)
{
    struct digest a, b;

    (void)unused;
    digest_init(&a);
    digest_init(&b);
    digest_add_text(&a, "ab");
    digest_add_text(&a, "c");
    digest_add_text(&b, "a");
    digest_add_text(&b, "bc");
    assert_true(a.state != b.state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__matches_the_published_digests),
        cmocka_unit_test(add__in_pieces_equals_at_once),
        cmocka_unit_test(add_text__includes_the_end_of_each_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
