#include "http/peer.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <string.h>

#define NAME_SIZE 128

/* Returns why the certificate is invalid: issuer, validity period or purpose. NULL: valid. */
static const char *find_fault(gnutls_session_t session)
{
    gnutls_typed_vdata_st purpose = { .type = GNUTLS_DT_KEY_PURPOSE_OID,
                                      .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT };
    unsigned              status = 0;

    if (gnutls_certificate_verify_peers(session, &purpose, 1, &status) < 0)
        return "the certificate cannot be checked";
    return status & GNUTLS_CERT_EXPIRED ? "the certificate has expired" :
           status & GNUTLS_CERT_NOT_ACTIVATED ? "the certificate is not valid yet" :
           status & GNUTLS_CERT_PURPOSE_MISMATCH ? "the certificate is not one for clients" :
           status ? "the certificate is not from an authority of 'client_ca'" : NULL;
}

/* Replaces characters that could corrupt logs or JSON. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~' || *text == '"' || *text == '\\')
            *text = '?';
}

static bool read_names(const gnutls_datum_t *der, char name[NAME_SIZE], char subject[PEER_SUBJECT_SIZE])
{
    size_t            name_size = NAME_SIZE, subject_size = PEER_SUBJECT_SIZE;
    gnutls_x509_crt_t cert;
    int               rc;

    if (gnutls_x509_crt_init(&cert))
        return false;
    rc = gnutls_x509_crt_import(cert, der, GNUTLS_X509_FMT_DER);
    if (!rc)
        rc = gnutls_x509_crt_get_dn_by_oid(cert, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name, &name_size);
    if (!rc && strlen(name) != name_size)
        rc = -1;                 /* a zero byte: the displayed name would differ from the signed one */
    if (!rc && gnutls_x509_crt_get_dn(cert, subject, &subject_size))
        memcpy(subject, name, NAME_SIZE);        /* the full subject is too long */
    gnutls_x509_crt_deinit(cert);
    make_plain(subject);
    return rc == 0;
}

bool peer_is_known(void *session, char *const *names, uint32_t count, char subject[PEER_SUBJECT_SIZE],
                   const char **why)
{
    char                  name[NAME_SIZE] = "";
    unsigned              certs = 0;
    const gnutls_datum_t *der = gnutls_certificate_get_peers(session, &certs);

    *why = NULL;
    subject[0] = '\0';
    if (!der || !certs)
        return false;
    *why = find_fault(session);
    if (*why)
        return false;
    *why = "the name in the certificate is not one of 'operators' of 'http'";
    if (!read_names(&der[0], name, subject))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) {
            *why = NULL;
            return true;
        }
    return false;
}
