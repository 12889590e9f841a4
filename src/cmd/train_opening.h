/* src/cmd/train_opening.h - anole train opening: finds what the tuner rehearse opens with. */
#ifndef CMD_TRAIN_OPENING_H
#define CMD_TRAIN_OPENING_H

/* argv[1] is "opening". */
int train_opening_main(int argc, char **argv);

#endif
