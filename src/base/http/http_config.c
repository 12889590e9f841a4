#include "base/http/http_config.h"
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

const struct key_row http_config_keys[] = {
    { "listen", KEY_NAME, "", "address, host:port; default: this machine, port 7480 (agents: 7482)",
      KEY_AT(struct http_config, listen) },
    { "token", KEY_FILE, "",
      "file with the token of operators, for freeze, thaw, roll back and all else; without it or the next "
      "the server is read-only", KEY_AT(struct http_config, token) },
    { "approver_token", KEY_FILE, "", "file with the token of approvers, who look, approve and reject",
      KEY_AT(struct http_config, approver_token) },
    { "viewer_token", KEY_FILE, "",
      "file with the token of those who only look, such as a scraper of metrics", KEY_AT(struct http_config, viewer_token) },
    { "cert", KEY_FILE, "", "certificate: HTTPS", KEY_AT(struct http_config, cert) },
    { "key", KEY_FILE, "", "its key", KEY_AT(struct http_config, key) },
    { "client_ca", KEY_FILE, "", "CA of client certificates, which replace the token",
      KEY_AT(struct http_config, client_ca) },
    { "operators", KEY_LIST, "", "names in such certificates; default: operator" },
    { "approvers", KEY_LIST, "", "names in such certificates, of those who look, approve and reject" },
    { "viewers", KEY_LIST, "", "names in such certificates, of those who only look" },
    { "hosts", KEY_LIST, "", "host names of this server, in addition to localhost" },
    { 0 },
};

bool http_is_local(const char *listen)
{
    return strncmp(listen, "127.", 4) == 0 || strncmp(listen, "localhost:", 10) == 0 ||
           strncmp(listen, "[::1]:", 6) == 0;
}

bool http_is_everywhere(const char *listen)
{
    return *listen == ':' || strncmp(listen, "0.0.0.0:", 8) == 0 || strncmp(listen, "[::]:", 5) == 0;
}

static void read_clients(struct reader *r, const struct section *s, struct http_config *c)
{
    static const char *const keys[GATE_RIGHTS] = { NULL, "viewers", "approvers", "operators" };

    for (int i = GATE_VIEW; i < GATE_RIGHTS; i++) {
        section_texts(s, keys[i], GATE_HOSTS_MAX, "names", c->client[i], &c->clients[i]);
        if (!r->rc && c->clients[i] && !section_get(s, "client_ca"))
            reader_refuse(r, section_get(s, keys[i]),
                          "%s: names in certificates say nothing without client_ca", keys[i]);
    }
    if (r->rc || !c->client_ca)
        return;
    if (!c->cert)
        reader_refuse(r, section_get(s, "client_ca"), "client_ca: certificates need HTTPS: cert and key");
    if (!c->clients[GATE_OPERATE])
        c->client[GATE_OPERATE][c->clients[GATE_OPERATE]++] = xstrdup("operator");
}

static void check_remote(struct reader *r, const struct section *s, const struct http_config *c)
{
    if (http_is_local(c->listen))
        return;
    if (!c->cert || (!c->token && !c->approver_token && !c->viewer_token && !c->client_ca))
        reader_refuse(r, section_place(s, "listen"),
                      "listen: an address that others can reach needs cert, key, and token or client_ca");
}

void http_config_read(struct reader *r, const struct yaml_node *map, uint32_t port, struct http_config *c)
{
    *c = (struct http_config){ 0 };
    if (!map)
        return;
    struct section s = section_open(r, map, &(struct section){ .name = "http", .own = http_config_keys });
    section_read(&s, http_config_keys, c);
    c->is_on = true;
    c->listen = c->listen ? c->listen : xprintf("127.0.0.1:%u", port);
    section_need_both(&s, "cert", "key");
    section_texts(&s, "hosts", GATE_HOSTS_MAX, "names", c->host, &c->hosts);
    read_clients(r, &s, c);
    if (!r->rc)
        check_remote(r, &s, c);
}

void http_config_fini(struct http_config *c)
{
    key_free_texts(http_config_keys, c);
    for (int right = 0; right < GATE_RIGHTS; right++)
        for (uint32_t i = 0; i < c->clients[right]; i++)
            free(c->client[right][i]);
    for (uint32_t i = 0; i < c->hosts; i++)
        free(c->host[i]);
    *c = (struct http_config){ 0 };
}
