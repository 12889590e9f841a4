/* src/live/links/links_test.c - a file of links, and errors in such files. */
#include "live/links/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static int parse(struct links *l, const char *text, struct err *err)
{
    return links_parse(l, "links.yaml", text, strlen(text), err);
}

static void parse__takes_devices_hosts_and_ports(void **unused)
{
    struct links l;
    struct err   err = { "" };

    (void)unused;
    assert_int_equal(parse(&l, "links:\n  - host1/mlx5_0 - tor-1:Ethernet4\n  - 'host2:mlx5_1  -  tor-1:8'\n"
                               "  - tor-1 - spine1\n  - tor-1 - spine1\n",
                           &err), 0);
    assert_int_equal(l.links, 4);
    assert_int_equal(l.nodes, 4);
    assert_string_equal(l.node[l.link[0].end[0].node], "host1/mlx5_0");
    assert_string_equal(l.link[0].end[0].port, "");
    assert_string_equal(l.node[l.link[0].end[1].node], "tor-1");
    assert_string_equal(l.link[0].end[1].port, "Ethernet4");
    assert_string_equal(l.link[1].end[0].port, "mlx5_1");
    assert_int_equal(l.link[0].end[1].node, l.link[3].end[0].node);
    assert_int_equal(links_find(&l, "spine1", 6), l.link[2].end[1].node);
    assert_int_equal(links_find(&l, "spine", 5), LINKS_NONE);
    links_fini(&l);
}

static void parse__says_where_and_what_is_wrong(void **unused)
{
    static const struct { const char *text, *why; } wrong[] = {
        { "", "links.yaml:1:1: 'links' is missing" },
        { "link: []\n", "links.yaml:1:1: 'link' is not a key of a list of links; did you mean 'links'?" },
        { "links:\n  - a-b\n",
          "links.yaml:2:5: a link is 'DEVICE - DEVICE' or 'DEVICE:PORT - DEVICE:PORT', with spaces around "
          "the dash" },
        { "links:\n  - a - \n", "links.yaml:2:5: a link is" },
        { "links:\n  - 'a: - b'\n", "links.yaml:2:5: a link is" },
        { "links:\n  - a b - c\n", "links.yaml:2:5: a link is" },
        { "links:\n  - {a: b}\n", "links.yaml:2:5: a link is" },
        { "links:\n  - a:1 - a:2\n", "links.yaml:2:5: a is joined to itself" },
        { "links:\n  - a:1 - b:1\n  - c:1 - b:1\n", "links.yaml:3:5: b:1 has another link already" },
        { "links:\n  - a:1 - b:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n", "links.yaml:2:5: a link is" },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct links l;
        struct err   err = { "" };

        assert_true(parse(&l, wrong[i].text, &err) < 0);
        if (strncmp(err.text, wrong[i].why, strlen(wrong[i].why)) != 0)
            fail_msg("'%s' instead of '%s'", err.text, wrong[i].why);
        assert_true(!l.links && !l.node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__takes_devices_hosts_and_ports),
        cmocka_unit_test(parse__says_where_and_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
