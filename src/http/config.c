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
    { "client_ca", "file", "", "authority of certificates of clients, which do instead of the token" },
    { "operators", "list", "", "names in such certificates; default: operator" },
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

static void read_names(const struct section *s, const char *key, char **name, uint32_t *count)
{
    for (const struct yaml_node *n = section_list(s, key, GATE_HOSTS_MAX); n && !s->r->rc; n = n->next) {
        if (n->kind != YAML_SCALAR)
            reader_refuse(s->r, n, "%s is a list of names", key);
        else
            name[(*count)++] = xstrdup(n->text);
    }
}

static void read_clients(struct reader *r, const struct section *s, struct http_config *c)
{
    read_names(s, "operators", c->operator, &c->operators);
    if (!r->rc && c->operators && !section_get(s, "client_ca"))
        reader_refuse(r, section_get(s, "operators"), "operators: names in certificates say nothing without client_ca");
    if (r->rc || !section_get(s, "client_ca"))
        return;
    if (!c->cert)
        reader_refuse(r, section_get(s, "client_ca"), "client_ca: certificates need HTTPS: cert and key");
    else
        c->client_ca = section_file(s, "client_ca");
    if (!c->operators)
        c->operator[c->operators++] = xstrdup("operator");
}

static void check_remote(struct reader *r, const struct section *s, const struct http_config *c)
{
    if (http_is_local(c->listen))
        return;
    if (!c->cert || (!c->token && !c->client_ca))
        reader_refuse(r, section_place(s, "listen"), "listen: an address that others can reach needs cert, key, and token or client_ca");
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
    read_names(&s, "hosts", c->host, &c->hosts);
    read_clients(r, &s, c);
    if (!r->rc)
        check_remote(r, &s, c);
}

void http_config_fini(struct http_config *c)
{
    free(c->listen);
    free(c->token);
    free(c->cert);
    free(c->key);
    free(c->client_ca);
    for (uint32_t i = 0; i < c->operators; i++)
        free(c->operator[i]);
    for (uint32_t i = 0; i < c->hosts; i++)
        free(c->host[i]);
    *c = (struct http_config){ 0 };
}
