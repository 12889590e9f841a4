/* src/cmd/explain_rlcc.h - anole explain rlcc MODEL. */
#ifndef CMD_EXPLAIN_RLCC_H
#define CMD_EXPLAIN_RLCC_H

/* argv[0] is what the help calls the command: "anole explain rlcc". Returns the exit status. */
int explain_rlcc(int argc, char **argv);

#endif
