/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the program activity and its verbs. */
#include "activity/cmd/cmd.h"

static const struct cca_verb *const verbs[] = {&act_verb_calibrate, &act_verb_check,
                                               &act_verb_import, &act_verb_print,
                                               &act_verb_run};

static const struct cca_program program = {
    .name = "activity",
    .version = "0.1",
    .summary = "check, print and simulate models of parallel programs",
    .usage = "activity VERB FILE... [options]\n",
    .about = "Exit status: 0 done, 1 the answer is no, 2 misuse, 3 bad input, 4 a fault "
             "of the model while it runs, 5 I/O or memory.\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof *verbs,
    .column = act_form_name,
    .refuse = act_refuse,
    .finish = act_finish_output,
};

int main(int argc, char **argv)
{
    return cca_program_run(&program, argc, argv);
}
