/* src/study/report/about.h - a network and its traffic in one line each, for answer cards. */
#ifndef STUDY_REPORT_ABOUT_H
#define STUDY_REPORT_ABOUT_H

#include "base/print/card.h"
#include "study/scenario/scenario.h"
#include "sim/sim.h"

/* Fills CARD_NETWORK ("32 hosts at 100 Gb/s, 8 switches, not oversubscribed, idle round trip 8.4 us;
 * dcqcn, ecmp, lossless.") and CARD_TRAFFIC ("background: FB_Hadoop sizes, load 35 % of bisection."). */
void about_scenario(struct card *, const struct scenario *, const struct sim *);

/* Adds to CARD_SURE how far predictions like these were off on real hardware, or that none is validated:
 * the table of docs/hardware.md. about_hardware_of_collective(): bus bandwidth of 'bytes', with or without
 * a cost of its steps. Other models than nic are there to be compared with simulators, and get nothing. */
void about_hardware(struct card *, const struct sim *);
void about_hardware_of_collective(struct card *, uint64_t bytes, bool has_step_cost);

#endif
