/* src/serve/site.h - what is answered to which path.
 *
 *   /                     the page that lists what there is, and follows it
 *   /state                the same as JSON (interface Served of web/src/data.ts)
 *   /r/NAME/FILE          a file of a set of results: /r/incast/report.html
 */
#ifndef SERVE_SITE_H
#define SERVE_SITE_H

#include "serve/folder.h"
#include "serve/http.h"

/* 'folder' is a struct folder. An http_hooks.answer. */
void site_answer(void *folder, const char *path, struct http_reply *);

#endif
