/* src/live/daemon/ctl.h - anole ctl: requests of operators, and the answers of a controller. */
#ifndef LIVE_DAEMON_CTL_H
#define LIVE_DAEMON_CTL_H

#include "base/err.h"
#include "live/control/control.h"
#include "live/wire/tls/secure.h"
#include "live/view/ledger.h"
#include "live/view/upkeep.h"
#include "live/wire/codec.h"
#include "live/wire/serve.h"

#include <stdbool.h>

/* short: without the devices */
struct ctl_request { const char *address; struct rpc_tls tls; struct question question;
                     bool is_json, is_short; };

/* Asks and prints the answer in words, or as it came. */
int ctl_ask(struct ctl_request *, struct err *);

/* Prints an answer, whose text is JSON. */
int ctl_print(const struct ctl_request *, const char *text, struct err *);

/* Checks the chain of an audit log. Needs no controller. */
int ctl_verify(const char *path, struct err *);

/* Repeats the decisions of a recorded controller: live/control/record.h. */
int ctl_replay(const char *path, struct err *);

/* ---- the controller's side ---- */

/* What an answer needs besides the controller. tuner: of live_tuner_json(). peers: refused connections; NULL:
 * unknown. */
struct answer_sources { const struct ledger *ledger; const json_t *tuner; const struct serve_counts *peers;
                        const struct upkeep *upkeep; bool disk_is_bad; };

/* Executes a request. Returns JSON, malloc'd, or NULL and the reason. */
char *answer_to(struct control *, const struct question *, const char *who, const struct answer_sources *,
                uint64_t now_us, struct err *);

/* Executes an order. -ENOENT: there is no such device or trial; any other errno: not now. */
int answer_act(struct control *, const struct question *, const char *who, uint64_t now_us, struct err *);

#endif
