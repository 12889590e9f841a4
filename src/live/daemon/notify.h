/* src/live/daemon/notify.h - reports the state of the process to systemd (sd_notify(3), Type=notify): a
 * datagram to the socket that the environment names. */
#ifndef LIVE_DAEMON_NOTIFY_H
#define LIVE_DAEMON_NOTIFY_H

#include <stdint.h>

/* "READY=1", "STOPPING=1". Nothing happens where there is no systemd. */
void notify(const char *state);

/* Calls 'reload', which reads a configuration again, between two notices. */
void notify_reload(void (*reload)(void *), void *arg);

/* To be called often: sends "WATCHDOG=1" twice per WatchdogSec. */
void notify_alive(uint64_t now_us);

#endif
