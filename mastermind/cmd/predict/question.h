/* SPDX-License-Identifier: BSD-3-Clause */
/* question.h: the parameters of the run to predict, as given on the command line. */
#ifndef MASTERMIND_CMD_PREDICT_QUESTION_H
#define MASTERMIND_CMD_PREDICT_QUESTION_H

#include "mastermind/counts/counts.h"
#include "mastermind/cmd/cmd.h"

/* Options that set parameters of the run to predict. */
struct mm_question_options {
    const struct cca_given *set;      /* values of --set NAME=VALUE: a variable, class
                                       * or number of ranks */
    const struct cca_given *variable; /* values of -D NAME=VALUE */
    const struct cca_given *class_of; /* values of --class INSTANCE=CLASS */
    const struct cca_given *ranks;    /* values of --ranks N */
};

struct mm_question {
    const char **text; /* [axes] value of each axis; NULL: none. Borrowed from the axes,
                        * from the option copies in this struct, or from the run. */
    char **copies;
    size_t copy_count;
};

/* Which axes may stay without a value. */
struct mm_question_rule {
    int has_base;     /* 1: unset axes get the values of the first run */
    int free_classes; /* 1: classes are chosen by the verb ... */
    const char *slot; /* ... or only the class of this instance; NULL: all */
};

/* Give each axis a value: from the options, else the value that all runs have, else the
 * base's. An axis that varied and has no value is refused, except classes that the verb
 * chooses. Returns -1 to go on, else an exit code after a message; call mm_question_done
 * either way. */
int mm_question_read(struct mm_question *question, const struct mm_axes *axes,
                     const struct mm_question_options *options,
                     const struct mm_question_rule *rule);
/* True if all requested values equal the values of the first run. */
int mm_question_is_base(const struct mm_question *question, const struct mm_axes *axes);
/* Give each axis the value of a run. Returns as mm_question_read. */
int mm_question_of_run(struct mm_question *question, const struct mm_axes *axes,
                       const struct mm_run *run);
/* Refuse a class that neither a run nor a model has, with the nearest name. Returns as
 * mm_question_read. */
int mm_question_check_classes(const struct mm_question *question,
                              const struct mm_axes *axes, const struct mm_input *input);
void mm_question_done(struct mm_question *question);
/* The requested value of an axis; NULL: it follows another axis. */
const char *mm_question_text(const struct mm_question *question,
                             const struct mm_axes *axes, size_t axis);
/* The requested values as a new object. */
json_t *mm_question_json(const struct mm_question *question, const struct mm_axes *axes);

#endif
