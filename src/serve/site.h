/* src/serve/site.h - the paths of the results server and its event stream.
 *
 *   /                     page that lists the results and follows changes
 *   /state                the same as JSON (interface Served of web/src/data.ts)
 *   /r/NAME/FILE          a file of a set of results: /r/incast/report.html
 *   /api/events           stream: sends the contents of /state whenever they change
 */
#ifndef SERVE_SITE_H
#define SERVE_SITE_H

#include "http/server.h"
#include "serve/folder.h"

struct site {
    struct folder  folder;
    struct server *server;
    char          *text;         /* current state as JSON */
    uint64_t       changes;      /* version of that state */
    uint64_t       beats;        /* keep-alive messages, which reveal disconnected listeners */
    uint64_t       beat_us;
};

int  site_open(struct site *, const char *path, const struct http_config *, struct err *);
void site_fini(struct site *);

/* Checks the folder and notifies listeners of changes. */
void site_look(struct site *);

#endif
