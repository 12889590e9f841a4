/* src/base/http/http_config.h - configuration of a web server: the key 'http' of agents, relays and
 * controllers. */
#ifndef BASE_HTTP_HTTP_CONFIG_H
#define BASE_HTTP_HTTP_CONFIG_H

#include "base/reader.h"
#include "base/http/gate.h"

struct http_config {
    bool     is_on;
    bool     is_public;                    /* read-only for everyone who can reach it */
    char    *listen;                     /* host:port */
    char    *token, *approver_token, *viewer_token;      /* paths; NULL: there is none */
    char    *cert, *key;                 /* paths, for HTTPS */
    char    *client_ca;                  /* path of a CA. A client certificate from it with one of these
                                          * names replaces a token. NULL: none accepted */
    char    *client[GATE_RIGHTS][GATE_HOSTS_MAX];        /* by what they may do */
    uint32_t clients[GATE_RIGHTS];
    char    *host[GATE_HOSTS_MAX];
    uint32_t hosts;
};

/* Keys of the map. */
extern const struct key_row http_config_keys[];

/* Reads the map; NULL: no HTTP server. The default address is 'port' on the loopback interface. Other
 * addresses are refused without HTTPS, or without a token or client_ca. */
void http_config_read(struct reader *, const struct yaml_node *map, uint32_t port, struct http_config *);
void http_config_fini(struct http_config *);

/* True for a loopback address. */
bool http_is_local(const char *listen);

/* True for a wildcard address. */
bool http_is_everywhere(const char *listen);

#endif
