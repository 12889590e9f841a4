/* src/live/core/sha256_test.c - the examples of FIPS 180-4 and NIST's long message. */
#include "live/core/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void text__of_the_standards_examples(void **unused)
{
    static const struct { const char *message, *digest; } row[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };
    char text[SHA256_TEXT_SIZE];

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct sha256 h;

        sha256_init(&h);
        sha256_add(&h, row[i].message, strlen(row[i].message));
        assert_string_equal(sha256_text(text, &h), row[i].digest);
    }
}

static void add__a_million_letters_in_any_pieces(void **unused)
{
    char          text[SHA256_TEXT_SIZE], a[997];
    struct sha256 h;
    size_t        left = 1000000;

    (void)unused;
    memset(a, 'a', sizeof a);
    sha256_init(&h);
    for (size_t piece = 1; left; piece = piece % sizeof a + 1) {
        size_t take = piece < left ? piece : left;

        sha256_add(&h, a, take);
        left -= take;
    }
    assert_string_equal(sha256_text(text, &h), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text__of_the_standards_examples),
        cmocka_unit_test(add__a_million_letters_in_any_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
