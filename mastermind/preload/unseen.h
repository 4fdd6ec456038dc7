/* SPDX-License-Identifier: BSD-3-Clause */
/* unseen.h: report calls that an interposer could not see. */
#ifndef MASTERMIND_PRELOAD_UNSEEN_H
#define MASTERMIND_PRELOAD_UNSEEN_H

struct interpose_library;

/* At the end of a run, report the functions of a library or table whose calls were not
 * seen: `tell` is called with each line. Functions with the same reason share a line. */
void mm_unseen_tell(struct interpose_library *library,
                    void (*tell)(void *context, const char *line), void *context);

#endif
