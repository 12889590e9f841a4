/* src/http/peer.h - who is at the other end of a connection with TLS: the certificate that he came with, if he did. */
#ifndef HTTP_PEER_H
#define HTTP_PEER_H

#include <stdbool.h>
#include <stdint.h>

#define PEER_SUBJECT_SIZE 128

/* Is there a certificate for clients that holds now, was given by who is trusted, and whose common name is one of 'names'? Then its subject is
 * written, "O=Example,CN=operator". Else *why says what is wrong with it; NULL: there is none. The session is GnuTLS'. */
bool peer_is_known(void *session, char *const *names, uint32_t count, char subject[PEER_SUBJECT_SIZE], const char **why);

#endif
