/* src/live/view/fetch.h - gets what is at an address of HTTP. libcurl is known here and to the lease alone:
 * its names clash with those of messages. */
#ifndef LIVE_VIEW_FETCH_H
#define LIVE_VIEW_FETCH_H

#include <stdbool.h>
#include <stddef.h>

#define FETCH_WHY_SIZE 256

struct fetch { char *text; size_t length; char why[FETCH_WHY_SIZE]; long status; };

/* Returns false and why if there is no answer; 'text' is malloc'd in any case, or NULL. One status is as good
 * as another. is_over() ends it early. */
bool fetch_get(struct fetch *, const char *url, bool (*is_over)(void *), void *arg);

char *fetch_escape(const char *text);    /* of a query; malloc'd */

#endif
