/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_properties.c: what is wrong with a run, how badly, and how sure that is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/cmd.h"
#include "mastermind/cmd/properties/properties_verb.h"
#include "properties/store/store.h"

static const char usage[] =
    "mastermind properties run.mm\n"
    "mastermind properties shock-1.mm shock-2.mm shock-3.mm --why\n"
    "mastermind properties par-*.mm --seq one.mm --property '*Inefficiency'\n"
    "\n"
    "Ask what is wrong with runs: communication, imbalance, waiting, misses and others,\n"
    "each as a severity from 0 to 1 with its interval and the probability that it is "
    "above\n"
    "the threshold. Runs may be experiments, sweeps, or stores of `mastermind export\n"
    "sqlite`; repeats of a run make answers surer.\n"
    "\n"
    "  --seq EXP           the sequential run that parallel ones are compared with\n"
    "                      (default: the only one on one unit)\n"
    "  --basis REGION      severities are shares of this region (default: the program)\n"
    "  --property GLOB|FILE\n"
    "                      ask these properties only; a FILE adds its own\n"
    "  --region GLOB       ask of these regions only\n"
    "  --threshold S       findings are above (default 0.05)\n"
    "  --confidence C      a sure finding has at least this probability (default 0.8)\n"
    "  --why               print the causes of each finding below it\n"
    "  --all               print every answer, also of small regions\n"
    "  --limit N           print N lines (default 20)\n"
    "  --list              print the properties\n"
    "  --lint FILE         check a property file, or the component FILE.so\n"
    "  --path DIR          search DIR for components that are properties, too\n"
    "  --trust             take components that other users could have written\n"
    "  --deadline SECONDS  what one property may take (default 60)\n"
    "  -o, --output STORE  write the runs and every answer to a new store\n"
    "  --csv               print every answer for machines\n"
    "  --json              print one document, mastermind/properties/1\n"
    "\n"
    "Exit status 1: a sure finding. docs/properties.md says what each property means,\n"
    "docs/property-files.md how to write one.\n";

enum {
    JSON,
    CSV,
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
    OPTIONS
};

static const char *value_of(const struct mm_option *option)
{
    return option->given ? option->values[option->given - 1] : NULL;
}

/* --- The library
 * ------------------------------------------------------------------------ */

/* A word a line that fits, below the first. */
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

/* name  for  doc */
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

/* Check one file, with the library for its members. */
static int lint(const char *path, const struct properties_path *where)
{
    struct properties_library library;
    struct mm_store *store = NULL;
    struct cca_error err = {0};
    const char *words[] = {path};
    char full[4100];
    int result;

    /* A name without a directory is a file here, whatever it ends in. */
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

/* --- The verb
 * --------------------------------------------------------------------------- */

static int show(const struct properties_asked *asked, const struct mm_option *options)
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

static int read_numbers(struct properties_asked *asked, const struct mm_option *options)
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
                         mm_safe(value_of(&options[CONFIDENCE])));
    if (options[CSV].given && options[JSON].given)
        return mm_refuse(MM_EXIT_MISUSE, "found --csv and --json, expected one of them");
    asked->sequential = value_of(&options[SEQ]);
    asked->basis = value_of(&options[BASIS]);
    asked->region = value_of(&options[REGION]);
    asked->everything = options[ALL].given || options[REGION].given;
    return -1;
}

int cmd_properties(int argc, char **argv)
{
    struct mm_option options[OPTIONS] = {
        [JSON] = {.name = "--json"},
        [CSV] = {.name = "--csv"},
        [SEQ] = {.name = "--seq", .takes_value = 1},
        [BASIS] = {.name = "--basis", .takes_value = 1},
        [PROPERTY] = {.name = "--property", .takes_value = 1},
        [REGION] = {.name = "--region", .takes_value = 1},
        [THRESHOLD] = {.name = "--threshold", .takes_value = 1},
        [CONFIDENCE] = {.name = "--confidence", .takes_value = 1},
        [WHY] = {.name = "--why"},
        [ALL] = {.name = "--all"},
        [LIMIT] = {.name = "--limit", .takes_value = 1},
        [LIST] = {.name = "--list"},
        [LINT] = {.name = "--lint", .takes_value = 1},
        [PATH] = {.name = "--path", .takes_value = 1},
        [TRUST] = {.name = "--trust"},
        [DEADLINE] = {.name = "--deadline", .takes_value = 1},
        [STORE] = {.name = "--output", .takes_value = 1, .letter = "-o"},
    };
    struct properties_asked asked = {0};
    struct properties_path where;
    struct mm_paths paths = {0};
    int count, result = mm_options_read(options, OPTIONS, usage, argc, argv, &count);

    where = (struct properties_path){options[PATH].values, (size_t)options[PATH].given,
                                     options[TRUST].given};
    if (result < 0)
        result = read_numbers(&asked, options);
    if (result < 0 && options[LINT].given)
        return lint(value_of(&options[LINT]), &where);
    if (result < 0)
        result = properties_library_read_path(&asked.library, options[PROPERTY].values,
                                              (size_t)options[PROPERTY].given, &where);
    if (result < 0 && options[LIST].given) {
        list(&asked.library);
        result = mm_finish_output(MM_EXIT_DONE);
    } else if (result < 0 && !count) {
        result = mm_refuse(MM_EXIT_MISUSE,
                           "properties takes experiments or stores, found none");
    }
    if (result < 0 && options[STORE].given &&
        access(value_of(&options[STORE]), F_OK) == 0)
        result =
            mm_refuse(MM_EXIT_SYSTEM, "%s: exists", mm_safe(value_of(&options[STORE])));
    if (result < 0)
        result = mm_paths_expand(&paths, argv, count);
    asked.paths = paths.items;
    asked.path_count = paths.count;
    if (result < 0)
        result = properties_ask(&asked);
    if (result < 0 && options[STORE].given)
        result = properties_write(&asked, value_of(&options[STORE]));
    if (result < 0)
        result = show(&asked, options);
    properties_asked_done(&asked);
    mm_paths_done(&paths);
    return result;
}
