#include "base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct yaml_doc parse(const char *text)
{
    struct yaml_doc doc;
    struct err err = { "" };

    if (yaml_parse(&doc, "t.yaml", text, strlen(text), &err))
        fail_msg("%s", err.text);
    return doc;
}

static void expect_refused(const char *text, size_t length, const char *why)
{
    struct yaml_doc doc;
    struct err err = { "" };

    assert_int_equal(-EINVAL, yaml_parse(&doc, "t.yaml", text, length, &err));
    assert_string_equal(why, err.text);
    assert_null(doc.root);
    assert_null(doc.memory.base);
}

static void parse__builds_the_tree(void **unused)
{
    struct yaml_doc doc = parse("# a comment\n"
                                "cc: dcqcn\n"
                                "traffic:\n"
                                "  - {kind: incast, size: 1MB}\n"
                                "  - [0.5, \"0.2\", '0.3']\n"
                                "empty:\n");
    const struct yaml_node *n = doc.root, *list, *last;

    (void)unused;
    assert_int_equal(YAML_MAP, n->kind);
    assert_int_equal(3, n->count);
    assert_string_equal("dcqcn", yaml_get(n, "cc")->text);
    list = yaml_get(n, "traffic");
    assert_int_equal(YAML_LIST, list->kind);
    assert_int_equal(2, list->count);
    assert_null(list->child->key);
    assert_string_equal("1MB", yaml_get(list->child, "size")->text);
    last = list->child->next;
    assert_int_equal(3, last->count);
    assert_string_equal("0.2", last->child->next->text);
    assert_string_equal("0.3", last->child->next->next->text);
    assert_null(last->child->next->next->next);
    assert_null(last->next);
    assert_string_equal("", yaml_get(n, "empty")->text);
    assert_null(yaml_get(n, "none"));
    assert_null(yaml_get(list, "cc"));
    assert_null(yaml_get(NULL, "cc"));
    yaml_fini(&doc);
    assert_null(doc.memory.base);
}

static void parse__records_lines_and_columns(void **unused)
{
    struct yaml_doc doc = parse("a: 1\n"
                                "\xc3\xa9t\xc3\xa9:   [x,\n"
                                "   y]\n");
    const struct yaml_node *a = doc.root->child, *list = a->next, *y = list->child->next;

    (void)unused;
    assert_int_equal(1, a->key_line);
    assert_int_equal(1, a->key_column);
    assert_int_equal(1, a->line);
    assert_int_equal(4, a->column);
    assert_int_equal(2, list->key_line);
    assert_int_equal(2, list->line);
    assert_int_equal(8, list->column);       /* characters, not bytes */
    assert_int_equal(3, y->line);
    assert_int_equal(4, y->column);
    yaml_fini(&doc);
}

static void parse__accepts_an_empty_document(void **unused)
{
    static const char *const text[] = { "", "\n\n", "# nothing\n", "---\n", "---\n...\n", "\xef\xbb\xbf" };

    (void)unused;
    for (int i = 0; i < 6; i++) {
        struct yaml_doc doc = parse(text[i]);

        assert_null(doc.root);
        assert_string_equal("t.yaml", doc.name);
        yaml_fini(&doc);
    }
}

static void parse__distinguishes_empty_text_from_an_empty_document(void **unused)
{
    struct yaml_doc doc = parse("''");

    (void)unused;
    assert_int_equal(YAML_SCALAR, doc.root->kind);
    assert_string_equal("", doc.root->text);
    yaml_fini(&doc);
}

static void parse__ignores_a_byte_order_mark(void **unused)
{
    struct yaml_doc doc = parse("\xef\xbb\xbf" "a: b\n");

    (void)unused;
    assert_string_equal("b", yaml_get(doc.root, "a")->text);
    assert_int_equal(1, doc.root->child->key_column);
    yaml_fini(&doc);
}

static void parse__refuses_with_the_location(void **unused)
{
    static const struct { const char *text, *why; } row[] = {
        { "a: &x 1\n", "t.yaml:1:4: anchors ('&') are not supported" },
        { "a: &x [1]\n", "t.yaml:1:4: anchors ('&') are not supported" },
        { "&x a: 1\n", "t.yaml:1:1: anchors ('&') are not supported" },
        { "a: 1\nb: *a\n", "t.yaml:2:4: aliases ('*') are not supported" },
        { "*a : 1\n", "t.yaml:1:1: aliases ('*') are not supported" },
        { "a: !!int 1\n", "t.yaml:1:4: tags ('!') are not supported" },
        { "a: ! 1\n", "t.yaml:1:4: tags ('!') are not supported" },
        { "- !x {a: 1}\n", "t.yaml:1:3: tags ('!') are not supported" },
        { "--- !x\n", "t.yaml:1:5: tags ('!') are not supported" },
        { "%TAG ! tag:x,2000:\n---\na: 1\n", "t.yaml:1:1: tags ('%TAG') are not supported" },
        { "a: 1\nb: 2\na: 3\n", "t.yaml:3:1: 'a' is given twice, first in line 1" },
        { "m: {x: 1, y: 2, y: 3, x: 4}\n", "t.yaml:1:17: 'y' is given twice, first in line 1" },
        { "m: {x: 1, y: 2, x: 3, y: 4}\n", "t.yaml:1:17: 'x' is given twice, first in line 1" },
        { "a: 1\n\"a\": 2\n", "t.yaml:2:1: 'a' is given twice, first in line 1" },
        { "[a, b]: 1\n", "t.yaml:1:1: a key must be a word, not a list or a map" },
        { "? {a: b}\n: 1\n", "t.yaml:1:3: a key must be a word, not a list or a map" },
        { "a: 1\n---\nb: 1\n", "t.yaml:2:1: a second document; only one is allowed" },
        { "---\n---\n", "t.yaml:2:1: a second document; only one is allowed" },
        { "a: \"x\\0y\"\n", "t.yaml:1:4: a zero byte (\\0) cannot be part of a text" },
        { "\"\\0\": 1\n", "t.yaml:1:1: a zero byte (\\0) cannot be part of a text" },
        /* Below, the problem and its context (from "while" on) are texts of libyaml. */
        { "a: [1, 2\nb: 3\n",
          "t.yaml:2:2: did not find expected ',' or ']' while parsing a flow sequence that "
          "begins in line 1" },
        { "a: {b: 1\n",
          "t.yaml:2:1: did not find expected ',' or '}' while parsing a flow mapping that begins "
          "in line 1" },
        { "a: 'b\n",
          "t.yaml:2:1: found unexpected end of stream while scanning a quoted scalar that begins in "
          "line 1" },
        { "a: b: c\n", "t.yaml:1:5: mapping values are not allowed in this context" },
        { "\ta: b\n", "t.yaml:1:1: a tab; YAML is indented with spaces" },
        { "a: 1\n\xc3\xa9: \x01\n", "t.yaml:2:4: control characters are not allowed" },
        { "a: 1\nb: \xff\n", "t.yaml:2:4: invalid leading UTF-8 octet" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        expect_refused(row[i].text, strlen(row[i].text), row[i].why);
}

static void parse__refuses_a_zero_byte(void **unused)
{
    (void)unused;
    expect_refused("a: 1\nb: \0\n", 10, "t.yaml:2:4: a zero byte; the file must be UTF-8 text");
    expect_refused("a\0:\0 \0b\0", 8, "t.yaml:1:2: a zero byte; the file must be UTF-8 text");
}

static void parse__stops_at_32_levels(void **unused)
{
    char text[200] = "";
    struct yaml_doc doc;

    (void)unused;
    memset(text, '[', 32);
    memset(text + 32, ']', 32);
    doc = parse(text);
    yaml_fini(&doc);
    memset(text, '[', 33);
    memset(text + 33, ']', 33);
    expect_refused(text, 66, "t.yaml:1:33: nested too deeply");
}

static void parse__accepts_many_keys(void **unused)
{
    enum { KEYS = 50000 };
    char *text = malloc(KEYS * 24), *end = text;
    struct yaml_doc doc;
    struct err err;

    (void)unused;
    for (int i = 0; i < KEYS; i++)
        end += sprintf(end, "k%d: %d\n", i * 7919 % KEYS, i);
    doc = parse(text);
    assert_int_equal(KEYS, doc.root->count);
    assert_string_equal("1", yaml_get(doc.root, "k7919")->text);
    yaml_fini(&doc);
    end += sprintf(end, "k77: again\n");
    assert_int_equal(-EINVAL, yaml_parse(&doc, "t", text, (size_t)(end - text), &err));
    assert_non_null(strstr(err.text, "t:50001:1: 'k77' is given twice, first in line "));
    free(text);
}

static void parse__accepts_text_larger_than_a_chunk(void **unused)
{
    enum { LENGTH = 200000 };
    char *text = malloc(LENGTH + 1);
    struct yaml_doc doc;

    (void)unused;
    memset(text, 'x', LENGTH);
    text[LENGTH] = '\0';
    doc = parse(text);
    assert_string_equal(text, doc.root->text);
    yaml_fini(&doc);
    free(text);
}

static void read__reads_a_file(void **unused)
{
    char path[] = "/tmp/anole-yaml-XXXXXX", want[100];
    int fd = mkstemp(path);
    struct yaml_doc doc;
    struct err err;

    (void)unused;
    assert_int_equal(6, write(fd, "a: b\n*", 6));
    assert_int_equal(-EINVAL, yaml_read(&doc, path, &err));
    snprintf(want, sizeof(want), "%s:2:", path);
    assert_memory_equal(want, err.text, strlen(want));
    assert_int_equal(0, ftruncate(fd, 5));
    close(fd);
    assert_int_equal(0, yaml_read(&doc, path, &err));
    assert_string_equal("b", yaml_get(doc.root, "a")->text);
    assert_string_equal(path, doc.name);
    yaml_fini(&doc);
    unlink(path);
}

static void read__names_the_missing_file(void **unused)
{
    struct yaml_doc doc;
    struct err err;

    (void)unused;
    assert_int_equal(-ENOENT, yaml_read(&doc, "/no/such.yaml", &err));
    assert_string_equal("/no/such.yaml: No such file or directory", err.text);
    assert_null(doc.memory.base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__builds_the_tree),
        cmocka_unit_test(parse__records_lines_and_columns),
        cmocka_unit_test(parse__accepts_an_empty_document),
        cmocka_unit_test(parse__distinguishes_empty_text_from_an_empty_document),
        cmocka_unit_test(parse__ignores_a_byte_order_mark),
        cmocka_unit_test(parse__refuses_with_the_location),
        cmocka_unit_test(parse__refuses_a_zero_byte),
        cmocka_unit_test(parse__stops_at_32_levels),
        cmocka_unit_test(parse__accepts_many_keys),
        cmocka_unit_test(parse__accepts_text_larger_than_a_chunk),
        cmocka_unit_test(read__reads_a_file),
        cmocka_unit_test(read__names_the_missing_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
