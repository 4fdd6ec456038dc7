/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_properties.c: the verb properties, which prints the problems of a run with severity
 * and confidence. */
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"
#include "properties/store/store.h"

enum {
    SEQ,
    BASIS,
    PROPERTY,
    REGION,
    THRESHOLD,
    CONFIDENCE,
    WHY,
    ALL,
    LIMIT,
    LIST,
    LINT,
    PATH,
    TRUST,
    DEADLINE,
    STORE,
    CSV,
    JSON
};

static const struct cca_option option_table[] = {
    [SEQ] = {"--seq", "EXP",
             "the sequential run that parallel ones are compared with (default: the only "
             "one on one unit)"},
    [BASIS] = {"--basis", "REGION",
               "severities are shares of this region (default: the program)"},
    [PROPERTY] = {"--property", "GLOB|FILE",
                  "ask these properties only; a FILE adds its own"},
    [REGION] = {"--region", "GLOB", "ask of these regions only"},
    [THRESHOLD] = {"--threshold", "S", "findings are above (default 0.05)"},
    [CONFIDENCE] = {"--confidence", "C",
                    "a sure finding has at least this probability (default 0.8)"},
    [WHY] = {"--why", NULL, "print the causes of each finding below it"},
    [ALL] = {"--all", NULL, "print every answer, also of small regions"},
    [LIMIT] = {"--limit", "N", "print N lines (default 20)"},
    [LIST] = {"--list", NULL, "print the properties"},
    [LINT] = {"--lint", "FILE", "check a property file, or the component FILE.so"},
    [PATH] = {"--path", "DIR", "search DIR for components that are properties, too"},
    [TRUST] = {"--trust", NULL, "take components that other users could have written"},
    [DEADLINE] = {"--deadline", "SECONDS", "time limit of one property (default 60)"},
    [STORE] = {"--output", "STORE", "write the runs and every answer to a new store",
               "-o"},
    [CSV] = {"--csv", NULL, "print every answer for machines"},
    [JSON] = {"--json", NULL, "print one document, mastermind/properties/1"},
};

/* --- The library -------------------------------------------------------------------- */

/* Print a text in lines that fit, the first after `from` columns. */
static void print_doc(const char *doc, int from)
{
    int used = from;

    for (const char *word = doc; *word;) {
        int length = (int)strcspn(word, " ");

        if (used > from && used + 1 + length > 100) {
            printf("\n%*s", from, "");
            used = from;
        }
        used += printf("%s%.*s", used > from ? " " : "", length, word);
        word += length;
        word += strspn(word, " ");
    }
    putchar('\n');
}

/* Print a line "name  object  text" for each property. */
static void list(const struct properties_library *library)
{
    int wide = 0;

    for (size_t i = 0; i < library->count; i++)
        if (library->asked[i] && (int)strlen(library->all[i]->name.text) > wide)
            wide = (int)strlen(library->all[i]->name.text);
    for (size_t i = 0; i < library->count; i++) {
        const struct mm_property *p = library->all[i];
        int used;

        if (!library->asked[i])
            continue;
        used =
            printf("%-*s  %-11s  ", wide, p->name.text, mm_property_objects[p->object]);
        if (p->code)
            used += printf("component: ");
        print_doc(mm_safe(p->doc.text), p->code ? used - 11 : used);
    }
}

/* Check one property file, with the library for its members. */
static int lint(const char *path, const struct properties_path *where)
{
    struct properties_library library;
    struct mm_store *store = NULL;
    struct cca_error err = {0};
    const char *words[] = {path};
    char full[4100];
    int result;

    /* a name without a directory is a file in the current directory, with any ending */
    if (!strchr(path, '/')) {
        snprintf(full, sizeof full, "./%s", path);
        words[0] = full;
    }
    result = properties_library_read_path(&library, words, 1, where);
    if (result < 0 && mm_store_new(&store, NULL, &err))
        result = mm_complain(&err);
    for (size_t i = 0; i < library.count && result < 0; i++)
        if (library.asked[i] &&
            mm_property_lint(store, library.all[i],
                             (const struct mm_property *const *)library.all,
                             library.count, &err))
            result = mm_complain(&err);
    if (result < 0)
        printf("%s: right\n", mm_safe(path));
    mm_store_free(store);
    properties_library_done(&library);
    return result < 0 ? mm_finish_output(MM_EXIT_DONE) : result;
}

/* --- The verb ----------------------------------------------------------------------- */

static int show(const struct properties_asked *asked, const struct cca_given *options)
{
    int result = MM_EXIT_DONE;

    if (options[JSON].given)
        result = mm_json_print(properties_json(asked, options[ALL].given));
    else if (options[CSV].given)
        properties_print_csv(asked);
    else if (options[ALL].given)
        properties_print_all(asked);
    else
        properties_print(asked, options[WHY].given);
    result = options[JSON].given ? result : mm_finish_output(MM_EXIT_DONE);
    return result == MM_EXIT_DONE && asked->findings.confident ? MM_EXIT_NO : result;
}

static int read_numbers(struct properties_asked *asked, const struct cca_given *options)
{
    double limit = PROPERTIES_LINES;
    int result;

    asked->threshold = .05;
    asked->confidence = .8;
    asked->looks = 1;
    result = mm_option_number(&options[THRESHOLD], 0, &asked->threshold);
    if (result < 0)
        result = mm_option_number(&options[CONFIDENCE], 0, &asked->confidence);
    if (result < 0)
        result = mm_option_number(&options[DEADLINE], 0, &asked->seconds);
    if (result < 0)
        result = mm_option_count(&options[LIMIT], 1, &limit);
    if (result >= 0)
        return result;
    asked->limit = limit < 1e15 ? (size_t)limit : SIZE_MAX;
    if (asked->confidence > 1)
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for --confidence, expected 0 to 1",
                         mm_safe(cca_given_value(&options[CONFIDENCE])));
    if (options[CSV].given && options[JSON].given)
        return mm_refuse(MM_EXIT_MISUSE, "found --csv and --json, expected one of them");
    asked->sequential = cca_given_value(&options[SEQ]);
    asked->basis = cca_given_value(&options[BASIS]);
    asked->region = cca_given_value(&options[REGION]);
    asked->everything = options[ALL].given || options[REGION].given;
    return -1;
}

static int properties_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct properties_asked asked = {0};
    const struct properties_path where = {
        options[PATH].values, (size_t)options[PATH].given, options[TRUST].given};
    struct mm_paths paths = {0};
    int result = read_numbers(&asked, options);

    if (result < 0 && options[LINT].given)
        return lint(cca_given_value(&options[LINT]), &where);
    if (result < 0)
        result = properties_library_read_path(&asked.library, options[PROPERTY].values,
                                              (size_t)options[PROPERTY].given, &where);
    if (result < 0 && options[LIST].given) {
        list(&asked.library);
        result = mm_finish_output(MM_EXIT_DONE);
    } else if (result < 0 && !args->count) {
        result = mm_refuse(MM_EXIT_MISUSE,
                           "properties takes experiments or stores, found none");
    }
    if (result < 0 && options[STORE].given &&
        access(cca_given_value(&options[STORE]), F_OK) == 0)
        result = mm_refuse(MM_EXIT_SYSTEM, "%s: exists",
                           mm_safe(cca_given_value(&options[STORE])));
    if (result < 0)
        result = mm_paths_expand(&paths, args->words, args->count);
    asked.paths = paths.items;
    asked.path_count = paths.count;
    if (result < 0)
        result = properties_ask(&asked);
    if (result < 0 && options[STORE].given)
        result = properties_write(&asked, cca_given_value(&options[STORE]));
    if (result < 0)
        result = show(&asked, options);
    properties_asked_done(&asked);
    mm_paths_done(&paths);
    return result;
}

const struct cca_verb mm_verb_properties = {
    .name = "properties",
    .summary = "performance problems of a run, with severity and confidence",
    .examples =
        "mastermind properties run.mm\n"
        "mastermind properties shock-1.mm shock-2.mm shock-3.mm --why\n"
        "mastermind properties par-*.mm --seq one.mm --property '*Inefficiency'\n",
    .about =
        "Find performance problems of runs: communication, imbalance, waiting, misses "
        "and others, each as a severity from 0 to 1 with its interval and the "
        "probability that it is above the threshold. Runs may be experiments, sweeps, or "
        "stores of `mastermind export sqlite`; repeats of a run raise the confidence.\n",
    CCA_OPTIONS(option_table),
    .notes =
        "Exit status 1: a sure finding. docs/guide/properties.md has the meaning of each "
        "property, docs/reference/property-files.md how to write one.\n",
    .run = properties_verb,
};
