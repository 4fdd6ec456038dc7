/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_print.c: activity print. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activity/cmd/cmd.h"
#include "activity/model/tree.h"

static const char help[] = "usage: activity print FILE.act [--as FORM]\n"
                           "\n"
                           "  --as text      the model as it is written (usual)\n";

int act_cmd_print(int argc, char **argv)
{
    static const struct option options[] = {
        {"as", required_argument, NULL, 'a'}, {"help", no_argument, NULL, 'h'}, {0}};
    struct cca_error err = {0};
    const char *form = "text";
    struct act_model *model;
    char *text;
    int option;

    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option != 'a')
            return act_usage(option, "print", help);
        form = optarg;
    }
    if (argc - optind != 1)
        return act_refuse(ACT_EXIT_MISUSE, "expected one model; activity print -h");
    if (strcmp(form, "text") != 0)
        return act_refuse(ACT_EXIT_MISUSE, "unknown form '%.60s'; activity print -h",
                          form);
    model = act_model_load(argv[optind], &err);
    if (!model)
        return act_complain(&err);
    text = act_model_print(model);
    act_model_free(model);
    if (!text)
        return act_refuse(ACT_EXIT_SYSTEM, "%s", strerror(ENOMEM));
    fputs(text, stdout);
    free(text);
    return act_finish_output(ACT_EXIT_DONE);
}
