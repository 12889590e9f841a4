/* src/cmd/train_twin.h - anole train twin: makes what the tuner rehearse begins with. */
#ifndef CMD_TRAIN_TWIN_H
#define CMD_TRAIN_TWIN_H

/* argv[1] is "twin". */
int train_twin_main(int argc, char **argv);

#endif
