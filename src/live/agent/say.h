/* src/live/agent/say.h - messages of an agent to its controller. */
#ifndef LIVE_AGENT_SAY_H
#define LIVE_AGENT_SAY_H

#include "live/agent/state.h"

void say_answer(struct agent *, enum msg_answer, uint64_t change, const char *why);
void say_hello(struct agent *, uint64_t now_us);         /* whenever the controller can be reached again */
void say_bye(struct agent *, uint64_t now_us);
void say_report(struct agent *, uint64_t now_us);
void say_learn(struct agent *, const struct msg_learn *, const char *why);

#endif
