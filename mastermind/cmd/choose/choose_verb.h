/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_verb.h: `mastermind choose`. */
#ifndef MASTERMIND_CMD_CHOOSE_CHOOSE_VERB_H
#define MASTERMIND_CMD_CHOOSE_CHOOSE_VERB_H

#include "mastermind/choice/choice.h"
#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/ledger/keep.h"
#include "mastermind/cmd/predict/question.h"
#include "mastermind/cmd/predict/run_input.h"
#include "mastermind/cmd/sweep/sweep.h"

/* The options of the verb. */
struct mm_choose_asked {
    struct mm_requirement requirements[MM_OPTION_VALUES];
    size_t requirement_count;
    const char *slot; /* instance to choose a class for; NULL: all slots */
    struct mm_choice_query query;
    int has_query; /* true if --front or --within is given */
    char front[128];
    const char *write;    /* path of the script to write, or NULL */
    const char *dispatch; /* path of the file of rules to write, or NULL */
    int force;            /* true to overwrite an existing script or file */
    int run;              /* true to run the chosen assembly */
    const char *output;   /* path of the experiment of the chosen run, or NULL */
    const char *launcher; /* launcher that starts the chosen run, or NULL */
    char *const *words;   /* [word_count] further arguments of ccafe */
    int word_count;
    const struct cca_given *over; /* axes of a sweep whose values are chosen */
    const char *uses;             /* axis of a sweep with the number of uses, or NULL */
    const char *check;            /* command that judges results, or NULL */
    double may_fail;              /* largest probability of failure of a chosen value */
    int quiet, json;
    struct mm_question_options question;
    struct mm_run_options from; /* the runs to choose by */
    struct mm_keeper *keeper; /* access to the ledger of predictions and their outcomes */
};

/* A choice and the data to print it. */
struct mm_open_view {
    const struct mm_run_input *runs;
    const struct mm_metric *metric; /* metric of the totals */
    const struct mm_library *library;
    struct mm_forecaster *forecaster;
    const struct mm_question *question;
    const struct mm_open_choice *choice;
    const struct mm_choose_asked *asked;
    const char *script;              /* path of the script written, or NULL */
    char *command;                   /* command line of the chosen run, or NULL */
    const struct mm_choose_run *run; /* result of the run, or NULL: not run */
};

/* Choose for the run that the options ask for, from the runs in `paths`. Returns an exit
 * code. See choose.c. */
int mm_choose_open(char *const *paths, int count, const struct mm_choose_asked *asked);
/* Choose values of axes of a sweep of any command. Returns an exit code. See over.c. */
int mm_choose_over(char *const *paths, int count, const struct mm_choose_asked *asked);
/* Write rules that choose the class of a slot in each call. Returns an exit code. See
 * dispatch.c. */
int mm_choose_dispatch(char *const *paths, int count,
                       const struct mm_choose_asked *asked);
/* Recalibrate the intervals of all totals by the ledger, and append the choice to it.
 * Does nothing without a ledger. See statement.c. */
void mm_open_keep(const struct mm_open_view *view, struct mm_open_choice *choice);
/* The value of an axis in the chosen run; NULL: none. */
const char *mm_open_text(const struct mm_open_view *view,
                         const struct mm_open_assembly *item, size_t axis);
/* Measured time of the base (first run), ns. */
double mm_open_measured_ns(const struct mm_open_view *view);
/* Write to the caller's buffer the value of an axis for the next run to measure: a step
 * beyond the measured values towards the requested one, or the requested value. */
const char *mm_choose_next(const struct mm_axes *axes, size_t at, const char *asked,
                           char *text, size_t size);
/* Print another choice whose predicted cost cannot be distinguished from the chosen
 * one's. `apart`, `low` and `high`: difference of the costs and its 90 % interval, in
 * percent of the chosen one's cost. */
void mm_choose_print_tie(const char *text, double apart, double low, double high);
/* Write "120 ms to 252 ms", or "no interval", to the caller's buffer. */
void mm_choose_interval(char *text, size_t size, const struct mm_metric *metric,
                        double low, double high);
/* Print the choice; each function returns an exit code. See choose_text.c and
 * choose_json.c. */
int mm_open_print(const struct mm_open_view *view);
int mm_open_print_quiet(const struct mm_open_view *view);
int mm_open_print_json(const struct mm_open_view *view);
/* Write "HLLCFlux", or "flux=HLLCFlux, states=States", to the caller's buffer. */
const char *mm_open_classes(const struct mm_open_choice *choice, const size_t *at,
                            char *text, size_t size);

/* --- run.c --------------------------------------------------------------- */

/* The prediction and the measurement. */
struct mm_choose_run {
    const char *what;                     /* name of the choice, "HLLCFlux" */
    double predicted_ns, low_ns, high_ns; /* predicted time and its interval; low, high
                                           * NaN: no interval */
    char *experiment;                     /* output: path of the run's experiment, new */
    double measured_ns;                   /* output: measured time of the run */
};

/* Run the command of a sweep; the caller may make a sweep just for this run.
 *
 *   sweep    in   launcher, command, program, directory
 *   ranks    in   for the launcher, or NULL
 *   options  in   options of ccafe, NULL at their end
 *   output   in   path of the experiment; NULL: the first of choice-1.mm, choice-2.mm ...
 *                 that does not exist
 *   metric   in   metric of the prediction
 *   run      out  path of the experiment; call mm_choose_run_done either way
 *
 * The output of the command goes to standard error. Returns -1 to go on, else an exit
 * code after a message. */
int mm_choose_run(const struct sweep *sweep, const char *ranks, char *const *options,
                  const char *output, const struct mm_metric *metric,
                  struct mm_choose_run *run);
void mm_choose_run_done(struct mm_choose_run *run);
/* Run a script with ccafe. `words` [word_count] are further arguments of ccafe.
 * `launcher` is the command that starts several ranks, with %n for their number; NULL:
 * none for one rank, "mpirun -n %n" for more. Returns like mm_choose_run. */
int mm_choose_run_script(const char *script, int ranks, const char *launcher,
                         char *const *words, int word_count, const char *output,
                         const struct mm_metric *metric, struct mm_choose_run *run);

/* Print "HLLCFlux: predicted 17.1 s, measured 17.3 s (+1.2 %), inside the interval"; a
 * long name is replaced by "the choice". */
void mm_choose_run_print(const struct mm_choose_run *run, const struct mm_metric *metric);
json_t *mm_choose_run_json(const struct mm_choose_run *run,
                           const struct mm_metric *metric);

/* --- script.c ------------------------------------------------------------ */

/* A class for an instance, and an experiment that ran the class. All borrowed. */
struct mm_script_class {
    const char *instance, *class_name;
    const struct mm_experiment *from; /* experiment with an instance of the class */
    const struct mm_instance *like;   /* instance of the class in `from` */
};

/* A new value for a parameter, "instance.port.name". */
struct mm_script_value {
    const char *name, *text;
};

struct mm_script {
    const struct mm_experiment *base;
    const struct mm_script_class *classes;
    size_t class_count;
    const struct mm_script_value *values;
    size_t value_count;
    const char *remark; /* comment at the head of the script: the choice and its
                         * experiments */
};

/* Return the text of the script: instances, connections, parameters that the run's script
 * had set (all parameters, where the experiment does not record which), go commands, and
 * the folders of components that are not installed with ccafe.
 *
 * A replaced class is connected by port types; it gets the parameters that it declares.
 * The result is new, or NULL with `err`: -ENODATA no wiring or no go command; -ENOMEM. */
char *mm_script_text(const struct mm_script *script, struct cca_error *err);

/* Write `text` to `path` by renaming a new file. Returns -1 to go on, else an exit code
 * after a message: the file exists and `force` is 0, or an I/O error. */
int mm_script_write(const char *path, const char *text, int force);

/* The command line of the run with other classes, "ccafe --class flux=HLLCFlux ...
 * shock.rc", without measuring options, broken into lines that end with a backslash. The
 * result is new; NULL: the command line is unknown, or out of memory. */
char *mm_script_command(const struct mm_script *script);

#endif
