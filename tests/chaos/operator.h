/* tests/chaos/operator.h - operators of controllers: careful ones, and others. */
#ifndef TESTS_CHAOS_OPERATOR_H
#define TESTS_CHAOS_OPERATOR_H

#include "chaos_world.h"

/* Freezes or thaws a device. */
void operator_device(struct world *, struct proc *controller, const char *name, bool is_frozen);

/* "freeze", "thaw" or "rollback". */
void operator_fabric(struct world *, struct proc *controller, const char *verb);

/* Sends arbitrary orders, for devices and trials that may not exist. */
void operator_lie(struct world *, struct proc *controller);

/* Inspects trials that wait for approval, and approves some of them a while later. */
void operator_come(struct world *);

#endif
