/* SPDX-License-Identifier: BSD-3-Clause */
/* question.h: the run asked for, in the words of the command line. */
#ifndef MASTERMIND_CMD_PREDICT_QUESTION_H
#define MASTERMIND_CMD_PREDICT_QUESTION_H

#include "mastermind/counts/axes.h"
#include "mastermind/cmd/cmd.h"

/* Options that set parameters of the run asked for. */
struct mm_question_options {
    const struct mm_option *set;      /* --set NAME=VALUE: any of the three below */
    const struct mm_option *variable; /* -D NAME=VALUE */
    const struct mm_option *class_of; /* --class INSTANCE=CLASS */
    const struct mm_option *ranks;    /* --ranks N */
};

struct mm_question {
    const char **text; /* [axes] value of each axis; NULL: none. Borrowed from the axes,
                          the options' copies here, or the run */
    char **copies;
    size_t copy_count;
};

/* Axes that may stay without a value. */
struct mm_question_rule {
    int has_base;     /* the first run has the values that are not asked for */
    int free_classes; /* classes are to be chosen ... */
    const char *slot; /* ... or only that of this instance; NULL: all */
};

/* Give each axis a value: that of the options, else the one of all runs, or of the base.
 * An axis that varied and has none is refused, but for classes to be chosen. Returns -1
 * to go on, else an exit code after a message; mm_question_done either way. */
int mm_question_read(struct mm_question *question, const struct mm_axes *axes,
                     const struct mm_question_options *options,
                     const struct mm_question_rule *rule);
/* True where the first run has all values that are asked for. */
int mm_question_is_base(const struct mm_question *question, const struct mm_axes *axes);
/* Give each axis the value that a run has. Returns as mm_question_read. */
int mm_question_of_run(struct mm_question *question, const struct mm_axes *axes,
                       const struct mm_run *run);
/* Refuse a class that no run has and no model is of, with the nearest name. Returns as
 * mm_question_read. */
int mm_question_check_classes(const struct mm_question *question,
                              const struct mm_axes *axes, const struct mm_input *input);
void mm_question_done(struct mm_question *question);
/* The value of an axis in the question, or NULL: that of the axis it is the same as. */
const char *mm_question_text(const struct mm_question *question,
                             const struct mm_axes *axes, size_t axis);

#endif
