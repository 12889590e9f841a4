/* src/http/peer.h - client certificates of TLS connections. */
#ifndef HTTP_PEER_H
#define HTTP_PEER_H

#include <stdbool.h>
#include <stdint.h>

#define PEER_SUBJECT_SIZE 128

/* Returns true if the client sent a valid client certificate of a trusted CA whose common name is in 'names',
 * and stores its subject ("O=Example,CN=operator"). Otherwise *why holds the reason; NULL: no certificate.
 * 'session' is a gnutls_session_t. */
bool peer_is_known(void *session, char *const *names, uint32_t count, char subject[PEER_SUBJECT_SIZE],
                   const char **why);

#endif
