/* src/live/wire/identity_test.c - certificates that are replaced while they are read. */
#include "live/tls/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/anole-identity-XXXXXX";

static void shell(const char *command)
{
    char text[2000];

    snprintf(text, sizeof text, "cd '%s' && %s", folder, command);
    assert_int_equal(system(text), 0);
}

static int set_up(void **state)
{
    (void)state;
    if (system("openssl version >/dev/null 2>&1") != 0)
        skip();
    assert_non_null(mkdtemp(folder));
    for (char name = 'a'; name <= 'b'; name++) {
        char command[300];

        snprintf(command, sizeof command,
                 "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=%c -days 2 "
                 "-keyout %c.key -out %c.pem 2>/dev/null", name, name, name);
        shell(command);
    }
    shell("cp a.pem ca.pem && cp a.pem cert.pem && cp a.key key.pem");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shell("rm -rf \"$PWD\"");
    return 0;
}

static int open_identity(struct identity *d, struct err *err)
{
    static char path[3][64];

    snprintf(path[0], 64, "%s/ca.pem", folder);
    snprintf(path[1], 64, "%s/cert.pem", folder);
    snprintf(path[2], 64, "%s/key.pem", folder);
    return identity_open(d, &(struct rpc_tls){ .ca = path[0], .cert = path[1], .key = path[2],
                                               .refresh_s = 1 }, err);
}

static bool look(struct identity *d)
{
    d->looked_s -= 10;
    return identity_look(d);
}

static void identity_look__only_what_fits_together_is_taken(void **state)
{
    struct identity d;
    struct err      err = { "" };
    char            before[4096];

    (void)state;
    assert_int_equal(open_identity(&d, &err), 0);
    snprintf(before, sizeof before, "%s", d.text[1]);
    assert_false(identity_look(&d));             /* not yet time */
    assert_false(look(&d));                      /* nothing new */
    shell(": >key.pem");                         /* half-way */
    assert_false(look(&d));
    shell("cp b.key key.pem");
    assert_false(look(&d));                      /* does not belong to the certificate */
    assert_string_equal(d.text[1], before);
    shell("cp b.pem cert.pem");
    assert_true(look(&d));
    assert_string_not_equal(d.text[1], before);
    shell("rm ca.pem");
    assert_false(look(&d));
    shell("cp b.pem ca.pem");
    assert_true(look(&d));
    identity_fini(&d);
    shell("cp a.pem ca.pem && cp a.pem cert.pem && cp a.key key.pem");
}

static void identity_open__says_what_is_wrong(void **state)
{
    struct identity d;
    struct err      err = { "" };

    (void)state;
    shell("cp b.key key.pem");
    assert_true(open_identity(&d, &err) < 0);
    assert_non_null(strstr(err.text, "do not belong together"));
    shell("echo nothing >key.pem");
    assert_true(open_identity(&d, &err) < 0);
    assert_non_null(strstr(err.text, "key.pem: it is no key, or has a password"));
    shell("cp a.key key.pem && : >ca.pem");
    assert_true(open_identity(&d, &err) < 0);
    assert_non_null(strstr(err.text, "ca.pem: it is no certificate"));
    shell("rm cert.pem");
    assert_true(open_identity(&d, &err) < 0);
    assert_non_null(strstr(err.text, "cert.pem"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_look__only_what_fits_together_is_taken),
        cmocka_unit_test(identity_open__says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
