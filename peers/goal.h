/* peers/goal.h - GOAL: the operations of an application's ranks, as read by LogGOPSim and ATLAHS.
 *
 * Text: "num_ranks N", then "rank R { ... }" for each rank, in any order, with the lines
 *
 *   [label:] calc NS [cpu C]
 *   [label:] send Bb to R [tag T] [cpu C] [nic N]
 *   [label:] recv Bb from R [tag T] [cpu C] [nic N]    rank or tag -1: any
 *   a requires b                                       a waits for the end of b
 *   a irequires b                                      a waits for the start of b
 *
 * Compiled: the output of LogGOPSim's txt2bin, little endian.
 *
 * Errors are reported as "file:line: reason"; in a compiled file, with the rank and the node's number. 0
 * bytes count as 1.
 */
#ifndef PEERS_GOAL_H
#define PEERS_GOAL_H

#include "work/net/trace.h"

#include <stddef.h>

/* Read a trace, which is then sealed and checked. On failure, nothing needs to be freed. */
int goal_read(const char *path, struct trace *, struct err *);
int goal_parse(const char *name, const char *data, size_t size, struct trace *, struct err *);

#endif
