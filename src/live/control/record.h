/* src/live/control/record.h - the inputs of a controller in a file, and replaying them: one line of JSON per
 * input, with a digest of the actions that followed.
 *
 *   {"record":1,"peers":64,"config":{"name":"controller","mode":1,...}}
 *   {"in":"start","us":5000000,"wall":1792141205000000,"text":"","count":0,"digest":"cbf29ce484222325"}
 *   {"in":"msg","us":5000120,"wall":...,"link":3,"msg":"0802...","count":1,"digest":"..."}
 *
 * As a controller is a function of these, the replay takes the same decisions: an incident becomes a test.
 * Messages are those of the wire, with its precision.
 */
#ifndef LIVE_CONTROL_RECORD_H
#define LIVE_CONTROL_RECORD_H

#include "base/err.h"
#include "live/controller/controller.h"

#include <stdio.h>

struct record {
    FILE    *file;
    uint64_t steps;
    int      error;              /* errno of the first write that failed: nothing is written any more */
};

/* Begins one. The file must be new. */
int  record_open(struct record *, const char *path, const struct controller_config *, uint32_t peers,
                 struct err *);
int  record_close(struct record *);

/* Adds an input and what followed; the actions have not been carried out yet. */
void record_step(struct record *, const struct input *, uint64_t now_us, const struct actions *);

/* Feeds a recorded controller again, and compares. Prints the records of its audit log to 'to'; NULL: not.
 * -EBADMSG: not a record. -EILSEQ: other actions followed than those that were recorded. */
int  record_replay(const char *path, FILE *to, uint64_t *steps, struct err *);

#endif
