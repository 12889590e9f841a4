/* tests/chaos/operator.h - people at controllers: those who know what they do, and those who do not. */
#ifndef TESTS_CHAOS_OPERATOR_H
#define TESTS_CHAOS_OPERATOR_H

#include "chaos_world.h"

/* Freezes or thaws a device. */
void operator_device(struct world *, struct proc *controller, const char *name, bool is_frozen);

/* "freeze", "thaw" or "rollback". */
void operator_fabric(struct world *, struct proc *controller, const char *verb);

/* Orders whatever comes to his mind, for devices and trials that may not be there. */
void operator_lie(struct world *, struct proc *controller);

/* Looks at trials that wait, and approves some of those that he has looked at, a while later. */
void operator_come(struct world *);

#endif
