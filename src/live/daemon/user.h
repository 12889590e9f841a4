/* src/live/daemon/user.h - root does something as the user of a service, whose rights are what counts. */
#ifndef LIVE_DAEMON_USER_H
#define LIVE_DAEMON_USER_H

#include "base/err.h"

#include <stdbool.h>

/* Becomes this user with its groups, for good. is_agent: with the capabilities of anole-agent.service. */
int user_become(const char *name, bool is_agent, struct err *err);

#endif
