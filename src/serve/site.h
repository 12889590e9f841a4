/* src/serve/site.h - what is answered to which path, and what listeners are told.
 *
 *   /                     the page that lists what there is, and follows it
 *   /state                the same as JSON (interface Served of web/src/data.ts)
 *   /r/NAME/FILE          a file of a set of results: /r/incast/report.html
 *   /api/events           a stream: what /state tells, whenever that changes
 */
#ifndef SERVE_SITE_H
#define SERVE_SITE_H

#include "http/server.h"
#include "serve/folder.h"

struct site {
    struct folder  folder;
    struct server *server;
    char          *text;         /* what there is, as JSON */
    uint64_t       changes;      /* of that */
    uint64_t       beats;        /* words that mean nothing, so that listeners who have left are noticed */
    uint64_t       beat_us;
};

int  site_open(struct site *, const char *path, const struct http_config *, struct err *);
void site_fini(struct site *);

/* Looks at the folder, and tells listeners when what there is has changed. */
void site_look(struct site *);

#endif
