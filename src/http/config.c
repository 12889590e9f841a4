/* src/http/config.c - see config.h. */
#include "http/config.h"
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct section_key keys[] = {
    { "listen", "name", "", "address, host:port; default: this machine, port 7480 (agents: 7482)" },
    { "token", "file", "", "what is in this file lets freeze, thaw, approve and roll back; without it nothing can be changed" },
    { "cert", "file", "", "certificate: HTTPS" },
    { "key", "file", "", "its key" },
    { "hosts", "list", "", "names by which it is asked, beside localhost" },
    { NULL, NULL, NULL, NULL },
};

bool http_is_local(const char *listen)
{
    return strncmp(listen, "127.", 4) == 0 || strncmp(listen, "localhost:", 10) == 0 || strncmp(listen, "[::1]:", 6) == 0;
}

bool http_is_everywhere(const char *listen)
{
    return *listen == ':' || strncmp(listen, "0.0.0.0:", 8) == 0 || strncmp(listen, "[::]:", 5) == 0;
}

static void read_hosts(struct reader *r, const struct section *s, struct http_config *c)
{
    for (const struct yaml_node *n = section_list(s, "hosts", GATE_HOSTS_MAX); n && !r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(r, n, "hosts is a list of names");
        else
            c->host[c->hosts++] = xstrdup(n->text);
    }
}

static void check_remote(struct reader *r, const struct section *s, const struct http_config *c)
{
    if (http_is_local(c->listen))
        return;
    if (!c->cert || !c->token)
        reader_refuse(r, section_place(s, "listen"), "listen: an address that others can reach needs cert, key and token");
}

void http_config_read(struct reader *r, const struct yaml_node *map, uint32_t port, struct http_config *c)
{
    struct section s;
    const char    *listen;
    char           text[40];

    *c = (struct http_config){ 0 };
    if (!map)
        return;
    s = section_open(r, map, &(struct section){ .name = "http", .own = keys });
    listen = section_text(&s, "listen");
    snprintf(text, sizeof text, "127.0.0.1:%u", port);
    c->is_on = true;
    c->listen = xstrdup(listen ? listen : text);
    if (section_get(&s, "token"))
        c->token = section_file(&s, "token");
    if (section_get(&s, "cert") || section_get(&s, "key"))
        if (section_need(&s, "cert") && section_need(&s, "key")) {
            c->cert = section_file(&s, "cert");
            c->key = section_file(&s, "key");
        }
    read_hosts(r, &s, c);
    if (!r->rc)
        check_remote(r, &s, c);
}

void http_config_fini(struct http_config *c)
{
    free(c->listen);
    free(c->token);
    free(c->cert);
    free(c->key);
    for (uint32_t i = 0; i < c->hosts; i++)
        free(c->host[i]);
    *c = (struct http_config){ 0 };
}
