/* src/live/daemon/reload.h - a configuration that is read again while the process runs (SIGHUP): taken whole,
 * or not at all.
 *
 * What a process is built on cannot change: addresses, names, folders, devices, intervals. A file that
 * changes such a key, or is wrong, is refused with one line, and everything stays as it was.
 */
#ifndef LIVE_DAEMON_RELOAD_H
#define LIVE_DAEMON_RELOAD_H

#include "live/config/live_config.h"

/* Reads the file of 'old' again. False: it was refused, and that was logged. */
bool reload_agent(struct agent_file *new, const struct agent_file *old);
bool reload_relay(struct relay_file *new, const struct relay_file *old);
bool reload_controller(struct controller_file *new, const struct controller_file *old);

/* Returns whether the HTTP server must be opened again: its settings changed, or the contents of its files
 * may have. */
bool reload_has_http(const struct http_config *new, const struct http_config *old);

#endif
