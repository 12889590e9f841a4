#include "live/tls/identity.h"
#include "base/io/clock.h"
#include "base/text.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#define REFRESH_S      60
#define FILE_BYTES_MAX (1u << 20)

enum { CA, CERT, KEY, FILES };

static X509 *read_cert(const char *text)
{
    BIO  *bio = BIO_new_mem_buf(text, -1);
    X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    return cert;
}

/* A daemon cannot use a key with a password. */
/* NOLINT(readability-non-const-parameter): OpenSSL's */
static int no_password(char *buf, int size, int is_write, void *arg)
{
    (void)buf;
    (void)size;
    (void)is_write;
    (void)arg;
    return 0;
}

static EVP_PKEY *read_key(const char *text)
{
    BIO      *bio = BIO_new_mem_buf(text, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);

    BIO_free(bio);
    return key;
}

/* Do these three make an identity? */
static int check(char *const path[FILES], char *const text[FILES], struct err *err)
{
    X509     *ca = read_cert(text[CA]), *cert = read_cert(text[CERT]);
    EVP_PKEY *key = read_key(text[KEY]);
    int       rc = !ca ? err_set(err, EBADMSG, "%s: it is no certificate", path[CA]) :
                   !cert ? err_set(err, EBADMSG, "%s: it is no certificate", path[CERT]) :
                   !key ? err_set(err, EBADMSG, "%s: it is no key, or has a password", path[KEY]) :
                   X509_check_private_key(cert, key) != 1 ?
                   err_set(err, EBADMSG, "%s and %s do not belong together", path[CERT], path[KEY]) : 0;

    X509_free(ca);
    X509_free(cert);
    EVP_PKEY_free(key);
    return rc;
}

static void free_texts(char *text[FILES])
{
    for (int i = 0; i < FILES; i++) {
        free(text[i]);
        text[i] = NULL;
    }
}

static int read_all(const struct identity *d, char *text[FILES], struct err *err)
{
    size_t length;
    int    rc = 0;

    for (int i = 0; i < FILES && !rc; i++)
        rc = text_read_file(d->path[i], FILE_BYTES_MAX, &text[i], &length, err);
    if (!rc)
        rc = check(d->path, text, err);
    if (rc)
        free_texts(text);
    return rc;
}

int identity_open(struct identity *d, const struct rpc_tls *tls, struct err *err)
{
    int rc;

    *d = (struct identity){ .path = { xstrdup(tls->ca), xstrdup(tls->cert), xstrdup(tls->key) },
                            .looked_s = (int64_t)(clock_us() / 1000000),
                            .refresh_s = tls->refresh_s ? tls->refresh_s : REFRESH_S };
    rc = read_all(d, d->text, err);
    if (rc)
        identity_fini(d);
    return rc;
}

void identity_fini(struct identity *d)
{
    free_texts(d->text);
    for (int i = 0; i < FILES; i++)
        free(d->path[i]);
    *d = (struct identity){ 0 };
}

bool identity_look(struct identity *d)
{
    char      *text[FILES] = { NULL };
    struct err ignored;
    bool       is_new = false;

    if ((int64_t)(clock_us() / 1000000) - d->looked_s < d->refresh_s)
        return false;
    d->looked_s = (int64_t)(clock_us() / 1000000);
    if (read_all(d, text, &ignored))
        return false;            /* in the middle of an exchange, or wrong: what there is goes on */
    for (int i = 0; i < FILES; i++)
        is_new |= strcmp(text[i], d->text[i]) != 0;
    if (is_new) {
        free_texts(d->text);
        memcpy(d->text, text, sizeof text);
    } else
        free_texts(text);
    return is_new;
}
