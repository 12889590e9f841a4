/* src/base/print/card_test.c - the answer card: the same text on a terminal, in JSON and in HTML. */
#include "base/print/card.h"
#include "base/print/html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct card example(void)
{
    struct card c = { 0 };

    card_add(&c, CARD_FINDING, "Use %s.", "bdp");
    card_add(&c, CARD_COST, "Large messages take %d %% longer.", 8);
    card_add(&c, CARD_COST, "Three knobs change.");
    card_add(&c, CARD_SURE, "In each of 5 seeds.");
    card_add(&c, CARD_NEXT, "apply it");
    card_add(&c, CARD_COMMAND, "anole advise");
    card_add_argument(&c, "it's <b>.yaml");
    return c;
}

static char *printed(void (*print)(const struct card *, FILE *), const struct card *c)
{
    char  *text;
    size_t length;
    FILE  *out = open_memstream(&text, &length);

    print(c, out);
    fclose(out);
    return text;
}

static void plain(const struct card *c, FILE *out)
{
    card_print(c, out, false);
}

static void add__joins_sentences(void **state)
{
    struct card c = example();

    (void)state;
    assert_string_equal(card_text(&c, CARD_COST), "Large messages take 8 % longer. Three knobs change.");
    assert_string_equal(card_text(&c, CARD_TRAFFIC), "");
    card_fini(&c);
}

static void add_argument__is_quoted_for_a_shell(void **state)
{
    struct card c = example();
    char        line[200] = "", *command = NULL;
    FILE       *shell;

    (void)state;
    assert_string_equal(card_text(&c, CARD_COMMAND), "anole advise 'it'\\''s <b>.yaml'");
    assert_true(asprintf(&command, "anole() { printf '%%s|' \"$@\"; }; %s", card_text(&c, CARD_COMMAND)) > 0);
    shell = popen(command, "r");
    assert_non_null(fgets(line, sizeof(line), shell));
    pclose(shell);
    assert_string_equal(line, "advise|it's <b>.yaml|");
    free(command);
    card_fini(&c);
}

static void add_command__omits_listed_options(void **state)
{
    static char *const argv[] = { "anole compare", "a.yaml", "--seeds", "5", "--jobs=2", "-j4", "-j", "1",
                                  "--jobsite", "x" };
    struct card        c = { 0 };

    (void)state;
    card_add_command(&c, 10, argv, (const char *const[]){ "--seeds", "--jobs", "-j", NULL });
    assert_string_equal(card_text(&c, CARD_COMMAND), "anole compare a.yaml --jobsite x");
    card_fini(&c);
}

static void print__starts_with_the_finding_and_omits_empty_fields(void **state)
{
    struct card c = example();
    char       *text = printed(plain, &c);

    (void)state;
    assert_int_equal(strncmp(text, "Use bdp.\n\n  Cost ", 17), 0);
    assert_null(strstr(text, "Traffic"));
    assert_non_null(strstr(text, "\n  Next       apply it\n             anole advise 'it'"));
    free(text);
    card_fini(&c);
}

static void json__missing_is_null(void **state)
{
    struct card c = example();
    json_t     *o = card_json(&c);

    (void)state;
    assert_string_equal(json_string_value(json_object_get(o, "finding")), "Use bdp.");
    assert_true(json_is_null(json_object_get(o, "traffic")));
    assert_int_equal(json_object_size(o), CARD_FIELDS);
    json_decref(o);
    card_fini(&c);
}

static void html__markup_is_escaped(void **state)
{
    struct card c = example();
    char       *text = printed(card_html, &c);

    (void)state;
    assert_null(strstr(text, "<b>"));
    assert_non_null(strstr(text, "&lt;b&gt;.yaml"));
    assert_non_null(strstr(text, "<dt>What it costs</dt>\n<dd>Large messages take 8\u00a0% longer."));
    free(text);
    card_fini(&c);
}

static void html_words__use_typographic_characters(void **state)
{
    static const struct { const char *text, *html; } row[] = {
        { "Goodput 919 Gb/s, round trip 62.0 us (idle 8.38 us).",
          "Goodput 919\u00a0Gb/s, round trip 62.0\u00a0µs (idle 8.38\u00a0µs)." },
        { "-58.2 to -48.2 % (-5 to +111 %)", "\u221258.2 to \u221248.2\u00a0% (\u22125 to +111\u00a0%)" },
        { "flows >=1 MB, flows <120 KB", "flows ≥\u00a01\u00a0MB, flows &lt;120\u00a0KB" },
        { "link h1 -> leaf1", "link h1 → leaf1" },
        { "Use kmin=50KB: run a-1.5.yaml --seeds 10 seconds", "Use kmin=50KB: run a-1.5.yaml --seeds 10 seconds" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        size_t length;
        char  *text;
        FILE  *out = open_memstream(&text, &length);

        html_words(out, row[i].text);
        fclose(out);
        assert_string_equal(text, row[i].html);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__joins_sentences),
        cmocka_unit_test(add_argument__is_quoted_for_a_shell),
        cmocka_unit_test(add_command__omits_listed_options),
        cmocka_unit_test(print__starts_with_the_finding_and_omits_empty_fields),
        cmocka_unit_test(json__missing_is_null),
        cmocka_unit_test(html__markup_is_escaped),
        cmocka_unit_test(html_words__use_typographic_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
