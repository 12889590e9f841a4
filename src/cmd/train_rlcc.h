/* src/cmd/train_rlcc.h - anole train rlcc: makes a policy for the congestion control rlcc. */
#ifndef CMD_TRAIN_RLCC_H
#define CMD_TRAIN_RLCC_H

/* argv[1] is "rlcc". */
int train_rlcc_main(int argc, char **argv);

#endif
