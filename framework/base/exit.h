/* SPDX-License-Identifier: BSD-3-Clause */
/* exit.h: the exit statuses of all programs. */
#ifndef FRAMEWORK_BASE_EXIT_H
#define FRAMEWORK_BASE_EXIT_H

/* Exit status of ccafe; also the result of a command. */
enum cca_exit {
    CCA_EXIT_DONE = 0,
    CCA_EXIT_NO = 1,        /* the answer of the command is no */
    CCA_EXIT_MISUSE = 2,    /* wrong command line */
    CCA_EXIT_BAD_INPUT = 3, /* mistakes in the script or the wiring */
    CCA_EXIT_COMPONENT = 4, /* a component failed or refused */
    CCA_EXIT_IO_OR_MEMORY = 5
};

#endif
