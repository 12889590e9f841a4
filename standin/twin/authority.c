#include "standin/twin/authority.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>

#define DAY_S 86400

struct identity { X509 *cert; EVP_PKEY *key; };

static void identity_free(struct identity *i)
{
    X509_free(i->cert);
    EVP_PKEY_free(i->key);
    *i = (struct identity){ 0 };
}

static bool add_extension(X509 *cert, X509 *issuer, int kind, const char *text)
{
    X509V3_CTX      context;

    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_nconf_nid(NULL, &context, kind, text);
    bool is_good = e && X509_add_ext(cert, e, -1) == 1;
    X509_EXTENSION_free(e);
    return is_good;
}

static bool set_serial(X509 *cert)
{
    uint64_t number;

    return RAND_bytes((unsigned char *)&number, sizeof number) == 1 &&
           ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert), number >> 1) == 1;
}

static bool fill(struct identity *i, const char *name, const struct identity *ca)
{
    X509_NAME *subject = X509_get_subject_name(i->cert);

    return X509_set_version(i->cert, X509_VERSION_3) == 1 && set_serial(i->cert) &&
           X509_gmtime_adj(X509_getm_notBefore(i->cert), -DAY_S) &&
           X509_gmtime_adj(X509_getm_notAfter(i->cert), DAY_S) && X509_set_pubkey(i->cert, i->key) == 1 &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1,
                                      -1, 0) == 1 &&
           X509_set_issuer_name(i->cert, ca ? X509_get_subject_name(ca->cert) : subject) == 1 &&
           add_extension(i->cert, ca ? ca->cert : i->cert, NID_basic_constraints,
                         ca ? "CA:FALSE" : "critical,CA:TRUE") &&
           (!ca || add_extension(i->cert, ca->cert, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1")) &&
           X509_sign(i->cert, ca ? ca->key : i->key, EVP_sha256()) > 0;
}

/* 'ca' of NULL: it is one itself. */
static bool make(struct identity *i, const char *name, const struct identity *ca)
{
    *i = (struct identity){ X509_new(), EVP_EC_gen("P-256") };
    if (i->cert && i->key && fill(i, name, ca))
        return true;
    identity_free(i);
    return false;
}

/* Only its owner may read a file with a key. */
static FILE *create(const char *folder, const char *name, const char *ending)
{
    char path[512];

    if (snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending) >= (int)sizeof path)
        return NULL;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

/* With a key, its file; else that of the certificate. */
static bool write_file(const char *folder, const char *name, X509 *cert, EVP_PKEY *key)
{
    FILE *f = create(folder, name, key ? "key" : "pem");
    bool  is_good = f && (key ? PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL)
                              : PEM_write_X509(f, cert)) == 1;

    return f && fclose(f) == 0 && is_good;
}

static bool make_and_write(const char *folder, const char *name, const struct identity *ca)
{
    struct identity i;
    bool            is_good = make(&i, name, ca);

    is_good = is_good && write_file(folder, name, i.cert, NULL) && write_file(folder, name, NULL, i.key);
    identity_free(&i);
    return is_good;
}

int authority_make(const char *folder, const char *const names[], struct err *err)
{
    struct identity ca;
    bool            is_good = make(&ca, "authority", NULL) && write_file(folder, "ca", ca.cert, NULL);

    for (int i = 0; names[i] && is_good; i++)
        is_good = make_and_write(folder, names[i], &ca);
    identity_free(&ca);
    return is_good ? 0 : err_set(err, EIO, "%s: certificates cannot be made there", folder);
}
