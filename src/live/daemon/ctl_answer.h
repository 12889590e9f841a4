/* src/live/daemon/ctl_answer.h - what a controller answers to `anole ctl`. */
#ifndef LIVE_DAEMON_CTL_ANSWER_H
#define LIVE_DAEMON_CTL_ANSWER_H

#include "live/controller/controller.h"
#include "live/view/ledger.h"
#include "live/wire/codec.h"
#include "live/wire/serve.h"

/* What an answer is made of besides the controller: its ledger; what live_tuner_json() says; whom the server
 * refused, or NULL. */
struct answer_sources { const struct ledger *ledger; const json_t *tuner; const struct serve_counts *peers; };

/* Executes a request. Returns JSON, malloc'd, or NULL and the reason. */
char *answer_to(struct controller *, const struct question *, const char *who, const struct answer_sources *,
                uint64_t now_us, struct err *);

/* Does what a person wants: freeze, thaw, approve, rollback. -ENOENT: there is no such device or trial; any
 * other errno: not now. */
int answer_act(struct controller *, const struct question *, const char *who, uint64_t now_us, struct err *);

#endif
