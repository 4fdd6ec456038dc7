/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h: what the verb record does beside recording: find libraries, watch the
 * program. */
#ifndef MASTERMIND_CMD_RECORD_RECORD_H
#define MASTERMIND_CMD_RECORD_RECORD_H

#include <stddef.h>
#include <sys/types.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/job.h"

/* Folders of interposition libraries. Zero-initialised is empty. */
struct mm_record_proxies {
    char **folders; /* [count] */
    char **marks; /* [count] the text of the marks that were tried; NULL: not asked for */
    size_t count;
};

/* Which functions of libraries are wanted: lists of patterns; NULL: no such list. */
struct mm_record_filter {
    const char *only, *except;
};

/* Find the libraries that `program` uses and `words` name ("z,fftw3", patterns), and make
 * interposition libraries for them, with lines on standard error for what is left out.
 *
 *   words      in   [word_count] the values of --library
 *   sidecars   in   [sidecar_count] files of marks for --sidecar; each serves the header
 *                   that it names
 *   program    in   the path of its file
 *   filter     in   the functions
 *   suggest    in   try all numbers that a call has, not only those whose names tell
 *
 * 0, or an exit code after a message: MM_EXIT_INPUT where a library that is named without
 * a wildcard cannot be recorded. */
int mm_record_libraries(const char *const *words, size_t word_count,
                        const char *const *sidecars, size_t sidecar_count,
                        const char *program, const struct mm_record_filter *filter,
                        int suggest, struct mm_record_proxies *proxies);
void mm_record_proxies_done(struct mm_record_proxies *proxies);

/* Pass the patterns of --functions to the runtime, and what is known of the functions of
 * `program`, the path of its file, that have room for a jump. Without patterns, neither.
 * 0, or an exit code after a message. */
int mm_record_functions(const char *const *patterns, size_t count, const char *program);

/* Tell which of the marks that were tried the experiment supports, as sidecars: into the
 * file `output`, further ones into `output`.1 and so on; NULL: on standard error. 0 or an
 * exit code. */
int mm_record_suggest(const char *experiment, const struct mm_record_proxies *proxies,
                      const char *output);

/* Print the libraries that `program` uses, and what could be recorded of each. Returns an
 * exit code. */
int mm_record_list(const char *program, int json);

/* Go on as the program in a child. In the child it returns -1. In the parent it waits,
 * and hands signals on that are meant for the program; it returns when that has ended,
 * with its status as waitpid gives it. -2, after a message: no child could be made. */
int mm_record_watch(int *status);
/* End as the program ended: an exit code, or its signal again. */
int mm_record_end_as(int status);

/* Print the report of `experiment` on standard error. */
void mm_record_report(const char *experiment);

/* "letters-3.mm", the first that is free in the working directory; new, or NULL: out of
 * memory. */
char *mm_record_free_name(const char *program);

/* The experiment of the job in the working directory; new, or NULL: there is none. */
char *mm_record_of_job(const struct mm_job *job);
/* Wait some seconds until all ranks of the job have ended in order; shorter where rank 0
 * has ended with a status other than 0. */
void mm_record_wait(const char *experiment, const struct mm_job *job, int status);

/* The path of "proxygen" beside this program; borrowed. */
const char *mm_record_proxygen(void);

#endif
