/* src/traffic/kinds/flows.h - the flows of a list, added by a program: hosts are nodes, and values have been checked. */
#ifndef TRAFFIC_KINDS_FLOWS_H
#define TRAFFIC_KINDS_FLOWS_H

#include "base/reader.h"
#include "net/flow_list.h"
#include "traffic/flow.h"
#include "traffic/read.h"

/* The flows of a list; taken over. */
void traffic_add_list(struct traffic *, struct flow_list *);

/* An entry that no section describes: the list in the file 'path'. */
void traffic_read_list(struct reader *, const struct yaml_node *, const char *path, const struct traffic_env *,
                       struct traffic *, struct traffic_about *);

#endif
