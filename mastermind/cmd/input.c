/* SPDX-License-Identifier: BSD-3-Clause */
/* input.c: experiments as arguments. */
#include <errno.h>
#include <stdlib.h>

#include "mastermind/cmd/cmd.h"

int mm_complain(const struct cca_error *err)
{
    char line[sizeof err->text * 4 + 1];
    size_t used = 0;

    if (mm_memory_failed()) { /* whatever else it looked like */
        fprintf(stderr, "mastermind: out of memory\n");
        return MM_EXIT_SYSTEM;
    }
    /* Messages hold names from files: nothing that a terminal obeys, and one line. */
    for (const unsigned char *at = (const unsigned char *)err->text; *at; at++) {
        if (*at < 0x20 || *at == 0x7f)
            used += (size_t)snprintf(line + used, sizeof line - used, "\\x%02x", *at);
        else
            line[used++] = (char)*at;
    }
    line[used] = '\0';
    fprintf(stderr, "mastermind: %s\n", line);
    switch (err->code) {
    case -ENOENT:
    case -ENOTDIR:
    case -EBADMSG:
    case -ENODATA:
        return MM_EXIT_INPUT;
    case -EINVAL:
    case -E2BIG:
        return MM_EXIT_MISUSE;
    default:
        return MM_EXIT_SYSTEM;
    }
}

void mm_print_notes(const struct mm_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        fprintf(stderr, "mastermind: note: %s\n", mm_safe(notes->items[i]));
}

void mm_say_aggregates(uint64_t folded, uint64_t all)
{
    if (folded)
        fprintf(stderr, "mastermind: note: %s of %s invocations are kept as aggregates\n",
                mm_thousands(folded), mm_thousands(all));
}

int mm_input_open(struct mm_input *input, char *const *paths, int count)
{
    struct cca_error err = {0};

    *input = (struct mm_input){0};
    if (count < 1) {
        fprintf(stderr, "mastermind: expected the directory of an experiment\n");
        return MM_EXIT_MISUSE;
    }
    input->experiments = calloc((size_t)count, sizeof *input->experiments);
    input->profiles = calloc((size_t)count, sizeof *input->profiles);
    if (!input->experiments || !input->profiles) {
        cca_error_set(&err, -ENOMEM, "out of memory");
        return mm_complain(&err);
    }
    for (int i = 0; i < count; i++) {
        struct mm_experiment *experiment = mm_experiment_open(paths[i], &err);
        struct mm_row_source source;

        if (!experiment)
            return mm_complain(&err);
        input->experiments[input->count++] = experiment;
        source = mm_row_source_of(experiment);
        input->profiles[i] = mm_profile_new(&source, experiment->wiring, &err);
        if (!input->profiles[i])
            return mm_complain(&err);
    }
    return -1;
}

void mm_input_done(struct mm_input *input)
{
    for (size_t i = 0; i < input->count; i++) {
        mm_profile_free(input->profiles[i]);
        mm_experiment_free(input->experiments[i]);
    }
    free(input->profiles);
    free(input->experiments);
    *input = (struct mm_input){0};
}
