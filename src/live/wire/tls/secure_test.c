/* src/live/wire/tls/secure_test.c - certificates that are replaced while they are read. */
#include "live/wire/tls/secure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <openssl/ssl.h>

static char folder[] = "/tmp/anole-secure-XXXXXX";

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
    shell("openssl genrsa -out rsa.key 2048 2>/dev/null");
    shell("cp a.pem ca.pem && cp a.pem cert.pem && cp a.key key.pem");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    shell("rm -rf \"$PWD\"");
    return 0;
}

static int open_secure(struct secure **s, struct err *err)
{
    static char path[3][64];

    snprintf(path[0], 64, "%s/ca.pem", folder);
    snprintf(path[1], 64, "%s/cert.pem", folder);
    snprintf(path[2], 64, "%s/key.pem", folder);
    return secure_open(s, &(struct rpc_tls){ .ca = path[0], .cert = path[1], .key = path[2], .refresh_s = 1 },
                       false, err);
}

/* Returns the name in the certificate of the next connection, after the files are due to be read again. */
static char name_now(struct secure *s)
{
    SSL       *ssl;
    X509_NAME *subject;
    char       name[8] = "";

    usleep(1100000);
    ssl = secure_begin(s, 0, NULL);
    subject = X509_get_subject_name(SSL_get_certificate(ssl));
    X509_NAME_get_text_by_NID(subject, NID_commonName, name, sizeof name);
    SSL_free(ssl);
    return name[0];
}

static void secure_begin__loads_only_matching_files(void **state)
{
    struct secure *s;
    struct err     err = { "" };

    (void)state;
    assert_int_equal(open_secure(&s, &err), 0);
    assert_int_equal(name_now(s), 'a');
    shell(": >key.pem");                         /* a partial update */
    assert_int_equal(name_now(s), 'a');
    shell("cp b.key key.pem");                   /* does not belong to the certificate */
    assert_int_equal(name_now(s), 'a');
    shell("mv ca.pem away && cp b.pem cert.pem");
    assert_int_equal(name_now(s), 'a');
    shell("mv away ca.pem");
    assert_int_equal(name_now(s), 'b');
    secure_free(s);
    shell("cp a.pem ca.pem && cp a.pem cert.pem && cp a.key key.pem");
}

static void secure_open__says_what_is_wrong(void **state)
{
    struct secure *s;
    struct err     err = { "" };

    (void)state;
    shell("cp b.key key.pem");
    assert_true(open_secure(&s, &err) < 0);
    assert_non_null(strstr(err.text, "do not belong together"));
    shell("cp rsa.key key.pem");                 /* nor does a key of another kind */
    assert_true(open_secure(&s, &err) < 0);
    assert_non_null(strstr(err.text, "do not belong together"));
    shell("openssl ec -aes128 -passout pass:anole -in a.key -out key.pem 2>/dev/null");
    assert_true(open_secure(&s, &err) < 0);
    assert_non_null(strstr(err.text, "key.pem: it is no key, or has a password"));
    shell("echo nothing >key.pem");
    assert_true(open_secure(&s, &err) < 0);
    assert_non_null(strstr(err.text, "key.pem: it is no key, or has a password"));
    shell("cp a.key key.pem && : >ca.pem");
    assert_true(open_secure(&s, &err) < 0);
    assert_non_null(strstr(err.text, "ca.pem: it is no certificate"));
    shell("cp a.pem ca.pem && rm cert.pem");
    assert_true(open_secure(&s, &err) < 0);
    assert_non_null(strstr(err.text, "cert.pem"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secure_begin__loads_only_matching_files),
        cmocka_unit_test(secure_open__says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
