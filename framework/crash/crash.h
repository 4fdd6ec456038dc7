/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.h: report on stderr when a component dies, hangs or calls exit. */
#ifndef FRAMEWORK_CRASH_CRASH_H
#define FRAMEWORK_CRASH_CRASH_H

#include "framework/base/base.h"
#include "framework/framework.h"

/* The sanitizers of threads and of memory report faults themselves. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CCAFE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CCAFE_SANITIZED 1
#endif
#endif
#ifndef CCAFE_SANITIZED
#define CCAFE_SANITIZED 0
#endif

/* deadline.c: watch each call of a Go port of a framework in a separate thread. A call
 * that passes its deadline is reported on stderr, and builders' listeners are called.
 * Then SIGTERM is sent if the program handles it, and the process ends with
 * CCA_EXIT_COMPONENT: two seconds later if SIGTERM was sent, else at once. */
struct ccafe_deadline;
/* Start to measure the time that each call of a Go port takes. Returns a new object;
 * NULL: no memory or thread. */
struct ccafe_deadline *ccafe_deadline_new(struct cca_framework *framework,
                                          double seconds);
/* End the watch over deadlines. Call this function before the framework is freed. Returns
 * true if a call of a Go port has passed its deadline. NULL is allowed. */
int ccafe_deadline_free(struct ccafe_deadline *deadline);

/* signals.c: on a fatal signal, or on exit or _exit by a component, print the script's
 * current line; on any signal that ends the process, print the last texts of components
 * (cca_last_words_set). Then let the signal end the process. */
void ccafe_signals_arm(void);
/* True if the program handles the signal; ccafe's own handlers do not count. */
int ccafe_signals_handled(int number);
/* Begin every line with "rank N: ". */
void ccafe_signals_rank(int rank);
/* Called when the script is done: from now on an exit is no failure of a component. */
void ccafe_signals_disarm(void);
/* Called when the program is about to be ended on request: until the next command of the
 * script an exit of a component is no failure. */
void ccafe_signals_allow_exit(void);
/* Set the framework whose components are reported; NULL before it is freed. */
void ccafe_signals_watch(struct cca_framework *framework);
/* Write "FILE:LINE" of the current command, cut to `size` bytes. */
void ccafe_signals_place(char *text, size_t size);
void ccafe_signals_progress(void *unused, const char *file, int line,
                            const char *command);

/* crash.c: load all that the search for the place of a fault needs. */
void ccafe_crash_prepare(void);
/* Called in the handler of a fatal signal, once in a process: name the code at fault, as
 * cca_framework_blame does; "" if unknown or if `framework` is NULL. `context` is the
 * handler's third argument. */
void ccafe_crash_blame(const struct cca_framework *framework, const void *context,
                       char *text, size_t size);

#endif
