/* src/live/daemon/ctl.h - anole ctl: what people ask a controller for. */
#ifndef LIVE_DAEMON_CTL_H
#define LIVE_DAEMON_CTL_H

#include "base/err.h"
#include "live/wire/codec.h"
#include "live/tls/secure.h"

#include <stdbool.h>

/* short: without the devices */
struct ctl_request { const char *address; struct rpc_tls tls; struct question question;
                     bool is_json, is_short; };

/* The verbs that a controller knows; NULL-terminated. */
extern const char *const ctl_verbs[];

/* Asks and prints the answer in words, or as it came. */
int ctl_ask(struct ctl_request *, struct err *);

/* Prints an answer, whose text is JSON. */
int ctl_print(const struct ctl_request *, const char *text, struct err *);

/* Checks the chain of an audit log. Needs no controller. */
int ctl_verify(const char *path, struct err *);

#endif
