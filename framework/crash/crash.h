/* SPDX-License-Identifier: BSD-3-Clause */
/* crash.h: the report on stderr when a component dies, hangs or calls exit. */
#ifndef FRAMEWORK_CRASH_CRASH_H
#define FRAMEWORK_CRASH_CRASH_H

#include "framework/base/exit.h"
#include "framework/framework.h"

/* Built with a sanitizer that watches threads or memory: it reports faults itself.
 */
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

/* deadline.c: watch each go of a framework from a thread of its own. A go that has not
 * returned in time is named on stderr, builders' listeners are told, SIGTERM is sent if
 * the program handles it, and the process ends with CCA_EXIT_COMPONENT: after two seconds
 * if it had been sent, else at once. */
struct ccafe_deadline;
/* New, or NULL: no memory or thread. */
struct ccafe_deadline *ccafe_deadline_new(struct cca_framework *framework,
                                          double seconds);
/* Before the framework ends. True if a go has passed its deadline. NULL is fine. */
int ccafe_deadline_free(struct ccafe_deadline *deadline);

/* signals.c: when a fatal signal comes, or a component calls exit or _exit, say which
 * line of the script was at work, and when any signal comes that ends the process the
 * last words of components; then let the signal take its course. */
void ccafe_signals_arm(void);
/* Does the program handle the signal? What ccafe itself has put there is no handling. */
int ccafe_signals_handled(int number);
/* Begin all that is said with "rank N: ". */
void ccafe_signals_rank(int rank);
/* The script is done: an exit is ours. */
void ccafe_signals_disarm(void);
/* Whose components run: their code is to be named; NULL: nobody's, before it is freed. */
void ccafe_signals_watch(struct cca_framework *framework);
/* "FILE:LINE" of the command at work, cut to `size` bytes. */
void ccafe_signals_place(char *text, size_t size);
void ccafe_signals_progress(void *unused, const char *file, int line,
                            const char *command);

/* crash.c: where a fatal signal came. Load what that needs. */
void ccafe_crash_prepare(void);
/* Once in a process, in the handler of the signal: whose code it came to, as of
 * cca_framework_blame; "" where that is not known or `framework` is NULL. `context` is
 * the handler's third argument. */
void ccafe_crash_blame(const struct cca_framework *framework, const void *context,
                       char *text, size_t size);

#endif
