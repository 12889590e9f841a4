/* src/http/config.h - how a web server is set: the key 'http' of agents, relays and controllers, or what a program says. */
#ifndef HTTP_CONFIG_H
#define HTTP_CONFIG_H

#include "base/reader.h"
#include "http/gate.h"

struct http_config {
    bool     is_on;
    bool     is_told;                    /* whoever reaches it may read all; there is nothing to change */
    char    *listen;                     /* host:port */
    char    *token;                      /* file; NULL: read-only */
    char    *cert, *key;                 /* files: HTTPS */
    char    *client_ca;                  /* file; who has a certificate from there, with one of these names, needs no token; NULL: nobody */
    char    *operator[GATE_HOSTS_MAX];
    uint32_t operators;
    char    *host[GATE_HOSTS_MAX];
    uint32_t hosts;
};

/* Keys of the map. */
extern const struct key_row http_config_keys[];

/* Reads the map; NULL: no HTTP. Without an address it listens at 'port' of this machine. Another address without HTTPS or
 * without a token or an authority of clients is refused. */
void http_config_read(struct reader *, const struct yaml_node *map, uint32_t port, struct http_config *);
void http_config_fini(struct http_config *);

/* Does this address belong to this machine alone? */
bool http_is_local(const char *listen);

/* Is it any address of this machine? */
bool http_is_everywhere(const char *listen);

#endif
