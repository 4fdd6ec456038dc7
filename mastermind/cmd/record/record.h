/* SPDX-License-Identifier: BSD-3-Clause */
/* record.h: the parts of the verb record besides recording: find libraries, watch the
 * program. */
#ifndef MASTERMIND_CMD_RECORD_RECORD_H
#define MASTERMIND_CMD_RECORD_RECORD_H

#include <stddef.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/job.h"
#include "mastermind/cmd/record/whole.h"
#include "mastermind/format/run_notes.h"

/* Folders of interposition libraries. Zero-initialised is empty. */
struct mm_record_proxies {
    char **folders; /* [count] */
    char **marks;   /* [count] text of the marks that were tried; NULL: not requested */
    size_t count;
};

/* Choice of library functions: lists of patterns, NULL: no such list; and options of
 * compilers to read headers with. */
struct mm_record_filter {
    const char *only, *except;
    char *const *flags; /* [flag_count] options of compilers, such as "-D", "A=1" */
    size_t flag_count;
};

/* The number of words of the compiler's option that begins with `word`: 1, or 2 if its
 * value is a word of its own; 0: `word` begins no such option. */
int mm_record_is_flag(const char *word);

/* Find the libraries that `program` uses and `words` match ("z,fftw3", patterns), and
 * make interposition libraries for them. A line on standard error reports each part left
 * out.
 *
 *   words      in   [word_count] the values of --library
 *   sidecars   in   [sidecar_count] values of --sidecar: files of marks, each for the
 *                   header that it names
 *   program    in   path of the program's file
 *   filter     in   choice of functions
 *   suggest    in   record all numbers in the calls, not only numbers whose names suggest
 * that the cost depends on them
 *
 * Returns 0, or an exit code after a message: MM_EXIT_INPUT if a library that is named
 * without a wildcard cannot be recorded. */
int mm_record_libraries(const char *const *words, size_t word_count,
                        const char *const *sidecars, size_t sidecar_count,
                        const char *program, const struct mm_record_filter *filter,
                        int suggest, struct mm_record_proxies *proxies);
void mm_record_proxies_done(struct mm_record_proxies *proxies);

/* Pass the patterns of --functions to the recorder's library, with the tables of
 * functions of `program` (a path) and of its libraries. Without patterns do nothing.
 * Returns 0, or an exit code after a message. */
int mm_record_functions(const char *const *patterns, size_t count, const char *program);

/* Pass the values of --dispatch and --try on to the recorder's library, and whether
 * nothing is recorded. Returns 0, or an exit code after a message. */
int mm_record_choice(const struct cca_given *dispatch, const struct cca_given *tried,
                     int no_rows);

/* True if they are about types of PETSc's solvers, for which a library is at hand. */
int mm_record_has_types(const struct cca_given *dispatch, const struct cca_given *tried);

/* For each library whose proposed marks (statements about its functions' parameters) were
 * tried in the recording, write the marks that the experiment supports as a sidecar (file
 * of marks for --sidecar): for library 0 to the file `output`, for library i to
 * `output`.i; if `output` is NULL, to standard error. Returns 0 or an exit code. */
int mm_record_suggest(const char *experiment, const struct mm_record_proxies *proxies,
                      const char *output);

/* Print the libraries that `program` uses, and which functions can be recorded. Of
 * `filter`, only the flags count. Returns an exit code. */
int mm_record_list(const char *program, const struct mm_record_filter *filter, int json);

/* Make the recorder's list of metrics from the value of --metrics (NULL: none), and
 * MEMORY if `has_memory` is set: names are checked, counters in files get absolute paths,
 * and ENERGY becomes the counters of the machine. `*list` is new; NULL: no metrics.
 * Returns 0 or an exit code after a message. */
int mm_record_metrics(const char *given, int has_memory, char **list);
/* Read the counters in files of such a list before the program starts and after its end,
 * and print the differences on standard error. */
void mm_record_count(const char *list);
void mm_record_count_end(void);
void mm_record_print_counts(void);
/* From now on pass signals on to the child `pid`, the program; `pid` 0: pass them on no
 * longer. */
void mm_record_watch(pid_t pid);
/* True where the recorder must be loaded into the program, though no calls are requested:
 * an option of `recording` is given, `is_other` is set, or the program may mark regions
 * or wrap tables. */
int mm_record_is_needed(const char *path, const struct cca_given *recording,
                        int is_other);
/* A list of the variables of the environment as they are now, to be assigned to `environ`
 * later. The list is new; NULL: out of memory. */
char **mm_record_environment(void);
/* Write samples.json of an experiment whose process `pid` was sampled: samples of each
 * method's calls, and of functions outside of them. Without samples do nothing. Returns 0
 * or a negative errno with `err`. */
int mm_record_join(const char *path, struct mm_whole *whole, pid_t pid,
                   struct cca_error *err);
/* Write stacks.json of an experiment. Without stacks do nothing. Returns 0 or a negative
 * errno with `err`. */
int mm_record_keep_stacks(const char *path, const struct mm_callers *callers,
                          struct cca_error *err);
/* End like the program: with its exit code, or by its signal. */
int mm_record_end_as(int status);

/* If the program ended abnormally, record in its experiment how it ended, and which
 * processes it had started. `status` comes from waitpid; `notes` may be NULL. */
void mm_record_keep_end(const char *experiment, int status, struct mm_run_notes *notes);

/* Print on standard error the table of `whole` if `has_table` is set, the report of an
 * experiment (NULL: none), and the tree of calls of `whole` if `has_tree` is set. */
void mm_record_report(const char *experiment, struct mm_whole *whole, int has_table,
                      int has_tree);

/* The first free name such as "letters-3.mm" in the working directory. The text is new;
 * NULL: out of memory. */
char *mm_record_free_name(const char *program);

/* The experiment of the job in the working directory; new, or NULL: there is none. */
char *mm_record_of_job(const struct mm_job *job);
/* Wait some seconds until all ranks of the job have ended normally; shorter if rank 0 has
 * ended with a status other than 0. */
void mm_record_wait(const char *experiment, const struct mm_job *job, int status);

/* The path of "proxygen" beside this program; borrowed. */
const char *mm_record_proxygen(void);

#endif
