/* src/live/control/control.h - runs a controller: takes inputs to it, and carries out its actions in their
 * order. Daemons, fault histories and tests run this same loop.
 */
#ifndef LIVE_CONTROL_CONTROL_H
#define LIVE_CONTROL_CONTROL_H

#include "live/control/freeze_hold.h"
#include "live/control/record.h"
#include "live/controller/controller.h"
#include "live/core/audit.h"
#include "live/core/io.h"

/* What the actions reach. None of the hooks may call the loop. */
struct control_io {
    struct io_disk disk;
    struct hold_io hold;
    void (*send)(void *, uint32_t link, const struct msg *);
    /* Is there something to try? Writes what to set and why. */
    bool (*propose)(void *, uint64_t now_us, struct knob_set *, char why[MSG_WHY_SIZE]);
    /* What became of it. 'missed' devices did not take it. */
    void (*ended)(void *, bool is_kept, uint32_t missed, const char *why);
    /* It is not tried at all, and why. NULL: as if it had ended. */
    void (*declined)(void *, const char *why);
    /* A line for the journal. NULL: there is none. */
    void (*log)(void *, const char *text);
    /* Before the end of an interval. NULL: nothing happens. */
    void (*interval)(void *, uint64_t now_us);
    /* Learning agents: records arrived, true: 'note' is for the audit log; the net to use, peer NULL: of any.
     * NULL: no learner. */
    bool (*records)(void *, const struct peer *, const struct msg_learn *, uint64_t now_us,
                    char note[MSG_WHY_SIZE]);
    const struct msg_learn *(*net)(void *, const struct peer *);
    void *arg;
};

struct control {
    struct controller c;
    struct control_io io;
    struct audit      audit;
    struct actions    actions;
    struct record    *record;    /* of all inputs; NULL: none is kept */
    uint64_t          freezes;   /* the last of struct controller that is held */
    uint64_t          saves;     /* number of the last saved state: core/keep.h */
    bool              is_brief;  /* from the next interval on, reports may be short */
};

/* The configuration must outlive it. */
void control_init(struct control *, const struct controller_config *, const struct control_io *,
                  uint32_t peers_max);
void control_fini(struct control *);

/* 'audit' is the position in the log. -EBADMSG: the saved state is corrupt; the controller must not run. */
int  control_start(struct control *, const struct audit *, uint64_t now_us);

/* One input and all that follows from it at once. Returns what became of it. */
int  control_input(struct control *, struct input, uint64_t now_us);

/* Inputs in short. */
void control_fence(struct control *, uint64_t counter, uint64_t now_us);
void control_link(struct control *, uint32_t link, uint64_t now_us);
void control_cut(struct control *, uint32_t link, uint64_t now_us);
void control_msg(struct control *, uint32_t link, const struct msg *, uint64_t now_us);
void control_tick(struct control *, uint64_t now_us);
void control_note(struct control *, const char *what, const char *why, uint64_t now_us);
int  control_order(struct control *, const struct order *, uint64_t now_us);

#endif
