/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_messages.c: the verb messages, which prints waiting and latency of sampled
 * messages. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"

enum {
    MATRIX,
    CHANNELS,
    SIZES,
    HISTOGRAM,
    COLLECTIVES,
    RECORDS,
    FROM,
    TO,
    LIMIT,
    CSV,
    JSON
};

static const struct cca_option option_table[] = {
    [MATRIX] = {"--matrix", "BY", "who sent to whom, by ranks, nodes or methods"},
    [CHANNELS] = {"--channels", NULL,
                  "exact counts of each communicator, pair of ranks and tag"},
    [SIZES] = {"--sizes", NULL, "latency by size of messages"},
    [HISTOGRAM] = {"--histogram", NULL, "distribution of latency"},
    [COLLECTIVES] = {"--collectives", NULL,
                     "who waited in collective calls, and for whom"},
    [RECORDS] = {"--records", NULL, "a line for each message (WRITE or via=files)"},
    [FROM] = {"--from", "GLOB",
              "only messages whose sender has this rank, host, method or callsite "
              "(function, FILE:LINE or both)"},
    [TO] = {"--to", "GLOB", "only messages whose receiver has it"},
    [LIMIT] = {"--limit", "N", "print N lines (default 40)"},
    [CSV] = {"--csv", NULL, "print rows for machines"},
    [JSON] = {"--json", NULL, "print one document, mastermind/messages/1"},
};

/* Find which view the options choose. Returns -1 to go on, else an exit code. */
static int read_view(struct messages_verb *verb, const struct cca_given *options)
{
    static const enum messages_view views[] = {[MATRIX] = VIEW_MATRIX,
                                               [CHANNELS] = VIEW_CHANNELS,
                                               [SIZES] = VIEW_SIZES,
                                               [HISTOGRAM] = VIEW_HISTOGRAM,
                                               [COLLECTIVES] = VIEW_COLLECTIVES,
                                               [RECORDS] = VIEW_RECORDS};
    const struct cca_given *found = NULL;

    for (int i = MATRIX; i <= RECORDS; i++) {
        if (!options[i].given)
            continue;
        if (found)
            return mm_refuse(MM_EXIT_MISUSE, "found %s and %s, expected one of them",
                             found->name, options[i].name);
        found = &options[i];
        verb->view = views[i];
    }
    return -1;
}

static int read_matrix(struct messages_verb *verb, const struct cca_given *option)
{
    static const struct {
        const char *name;
        unsigned by;
    } kinds[] = {
        {"ranks", MM_BY_RANKS}, {"nodes", MM_BY_NODES}, {"methods", MM_BY_METHODS}};

    if (!option->given)
        return -1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(cca_given_value(option), kinds[i].name) == 0) {
            verb->by = kinds[i].by;
            return -1;
        }
    }
    return mm_refuse(MM_EXIT_MISUSE,
                     "'%s' for --matrix, expected ranks, nodes or methods",
                     mm_safe(cca_given_value(option)));
}

static int read_options(struct messages_verb *verb, const struct cca_given *options)
{
    double limit = options[RECORDS].given ? INFINITY : 40;
    int result = read_view(verb, options);

    if (result < 0)
        result = read_matrix(verb, &options[MATRIX]);
    if (result < 0)
        result = mm_option_count(&options[LIMIT], 1, &limit);
    if (result >= 0)
        return result;
    if (options[JSON].given && options[CSV].given)
        return mm_refuse(MM_EXIT_MISUSE, "found --csv and --json, expected one of them");
    verb->form = options[JSON].given  ? FORM_JSON
                 : options[CSV].given ? FORM_CSV
                                      : FORM_TEXT;
    verb->limit = limit < 1e15 ? (size_t)limit : SIZE_MAX;
    verb->from = cca_given_value(&options[FROM]);
    verb->to = cca_given_value(&options[TO]);
    return -1;
}

/* Read the first line of a rank's file: why it recorded no messages. Returns 1 if there
 * is one. */
static int read_why(const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "re");
    int found = file && fgets(why, (int)size, file) != NULL;

    if (file)
        fclose(file);
    why[found ? strcspn(why, "\n") : 0] = '\0';
    return found && *why;
}

/* Refuse an experiment without messages, with the reason if a rank has recorded it. */
static int refuse_none(const struct mm_experiment *experiment, const char *path)
{
    char why[200], file[4200];

    for (int rank = 0; rank < experiment->ranks; rank++) {
        snprintf(file, sizeof file, "%s/rank-%04d/" MM_MESSAGES_WHY, path, rank);
        if (read_why(file, why, sizeof why))
            return mm_refuse(MM_EXIT_INPUT, "%s: messages were not sampled: %s",
                             mm_safe(path), mm_safe(why));
    }
    return mm_refuse(MM_EXIT_INPUT,
                     "%s: found no messages; `mastermind record --messages on` or `ccafe "
                     "--messages on` samples them",
                     mm_safe(path));
}

static int open_messages(struct messages_verb *verb, const char *path)
{
    verb->experiment = mm_experiment_open(path, &verb->err);
    if (!verb->experiment)
        return mm_complain(&verb->err);
    verb->messages = mm_messages_open(verb->experiment, &verb->err);
    if (!verb->messages && verb->err.code == -ENOENT)
        return refuse_none(verb->experiment, path);
    if (!verb->messages)
        return mm_complain(&verb->err);
    verb->sites = mm_site_names_new(verb->messages);
    verb->rows = json_array();
    return verb->sites && verb->rows ? -1 : mm_no_memory();
}

static int show(struct messages_verb *verb)
{
    static int (*const views[])(struct messages_verb *) = {
        [VIEW_CLASSES] = messages_groups_view,
        [VIEW_MATRIX] = messages_groups_view,
        [VIEW_SIZES] = messages_groups_view,
        [VIEW_CHANNELS] = messages_channels_view,
        [VIEW_HISTOGRAM] = messages_histogram_view,
        [VIEW_COLLECTIVES] = messages_collectives_view,
        [VIEW_RECORDS] = messages_records_view};
    static const char *const names[] = {
        [VIEW_CLASSES] = "classes",     [VIEW_MATRIX] = "matrix",
        [VIEW_SIZES] = "sizes",         [VIEW_CHANNELS] = "channels",
        [VIEW_HISTOGRAM] = "histogram", [VIEW_COLLECTIVES] = "collectives",
        [VIEW_RECORDS] = "records"};
    json_t *document;
    int result;

    verb->columns = mm_document_columns("messages", names[verb->view]);
    result = verb->columns ? views[verb->view](verb) : mm_no_memory();
    if (result >= 0)
        return result;
    if (verb->form != FORM_JSON)
        return mm_finish_output(MM_EXIT_DONE);
    document = messages_document(verb);
    mm_json_put(document, names[verb->view], verb->rows);
    verb->rows = NULL;
    return mm_json_print(document);
}

static int messages_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct messages_verb verb = {.view = VIEW_CLASSES};
    int result;

    if ((result = read_options(&verb, options)) >= 0)
        return result;
    if (args->count != 1)
        return mm_refuse(MM_EXIT_MISUSE, "messages takes one experiment, found %d",
                         args->count);
    result = open_messages(&verb, args->words[0]);
    if (result < 0)
        result = show(&verb);
    json_decref(verb.rows);
    json_decref(verb.columns);
    mm_site_names_free(verb.sites);
    mm_messages_free(verb.messages);
    mm_experiment_free(verb.experiment);
    return result;
}

const struct cca_verb mm_verb_messages = {
    .name = "messages",
    .summary = "who waited for whom, from sampled messages of MPI",
    .examples = "mastermind messages run.mm\n"
                "mastermind messages run.mm --matrix ranks\n"
                "mastermind messages run.mm --from 'smooth*' --to 3 --histogram\n",
    .about = "Print how long receivers waited for senders, by callsite and size, from "
             "sampled messages (--messages of ccafe and mastermind record). The run may "
             "be under way.\n",
    CCA_OPTIONS(option_table),
    .notes = "late sender    the receiver was in MPI before the message was "
             "sent\nlatency        from the start of the send to the end of the "
             "receive\nMessages and bytes of ranks, nodes and channels are exact, all "
             "else is estimated,\nwith 95 % intervals.\n",
    .run = messages_verb,
};
