/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: the command line of proxygen. */
#include <stddef.h>
#include <string.h>

#include "tools/proxygen/command.h"

enum {
    OUTPUT,
    INCLUDE,
    DEFINE,
    SIDECAR,
    DESCRIBE,
    SIGNATURE,
    INTERPOSE,
    FUNCTIONS,
    AVAILABLE,
    TABLE,
    SUGGEST
};
const struct cca_option pg_option_table[PG_OPTIONS] = {
    [OUTPUT] = {"--output", "DIR",
                "write <port>_proxy.c to DIR, made if absent (default: .)", "-o"},
    [INCLUDE] = {"-I", "DIR",
                 "search DIR for included headers; the generated code includes HEADER by "
                 "its name relative to DIR"},
    [DEFINE] = {"-D", "NAME[=VALUE]", "define a macro"},
    [SIDECAR] = {"--sidecar", "FILE",
                 "take marks from FILE, for a header that must not be changed"},
    [DESCRIBE] = {"--describe", NULL,
                  "write the interface as JSON instead of code: to standard output, or "
                  "with -o to DIR/TYPE.describe.json, where FfiProxy finds it"},
    [SIGNATURE] = {"--signature", NULL,
                   "write HEADER_signature.h instead of code: a class states with it the "
                   "prototypes that it was compiled with"},
    [INTERPOSE] = {"--interpose", NULL,
                   "HEADER belongs to a library: write HEADER_interpose.c, which is "
                   "preloaded in front of its functions, and compile it with $CC or cc"},
    [FUNCTIONS] = {"--functions", "LIST",
                   "the functions to interpose; a name may be a pattern, as 'gzip*'"},
    [AVAILABLE] = {"--available", NULL,
                   "leave out functions of the list that the header lacks or that cannot "
                   "be forwarded, with a line for each"},
    [TABLE] = {"--table", "LIST",
               "HEADER has structs of function pointers with these names: write "
               "HEADER_tables.c and .h; their NAME_wrap() makes a table that forwards to "
               "another one"},
    [SUGGEST] = {"--suggest", NULL,
                 "with --interpose or --table: print proposed marks as a sidecar, from "
                 "names and types, and write nothing"},
};
_Static_assert((int)SUGGEST + 1 == (int)PG_OPTIONS, "one row an option");

static int misuse(const char *what, const char *word)
{
    return pg_refuse(MISUSE, "%s%s%s%s", what, word ? " '" : "", word ? word : "",
                     word ? "'" : "");
}

/* True for the argument of -D: NAME, NAME=VALUE or NAME(ARGUMENTS)=VALUE. */
static int is_macro(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789");

    return length > 0 && (*text < '0' || *text > '9') && strchr("=(", text[length]);
}

/* --- Options of compilers ------------------------------------------------- */

static int word_begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* True for options that do not change how clang reads a header: warnings, optimisation,
 * debugging and linking. */
static int is_left_out(const char *word)
{
    return word_begins(word, "-W") || word_begins(word, "-O") ||
           word_begins(word, "-g") || word_begins(word, "-l") || word_begins(word, "-L");
}

int pg_compiler_words(const char *word)
{
    static const char *const with_next[] = {"-include", "-imacros", "-isystem", "-iquote",
                                            "-idirafter"};

    for (size_t i = 0; i < sizeof with_next / sizeof *with_next; i++)
        if (word_begins(word, with_next[i]))
            return strcmp(word, with_next[i]) == 0 ? 2 : 1;
    if (strcmp(word, "-U") == 0)
        return 2;
    return strcmp(word, "-pthread") == 0 || word_begins(word, "-std=") ||
           word_begins(word, "-U") || word_begins(word, "-m") ||
           word_begins(word, "-f") || is_left_out(word);
}

/* --- Options of proxygen -------------------------------------------------- */

static void add_clang_words(struct command *command, const char *first,
                            const char *second)
{
    command->clang_args[command->options.clang_arg_count++] = first;
    if (second)
        command->clang_args[command->options.clang_arg_count++] = second;
}

/* Collect the arguments of clang: the user's compiler options, except those for warnings,
 * optimisation and linking, then -D and -I with their values. Returns 0, or MISUSE after
 * a message if -D is not followed by a macro. */
static int take_clang_words(struct command *command, const struct cca_args *args)
{
    const struct cca_given *dirs = &args->options[INCLUDE];
    const struct cca_given *macros = &args->options[DEFINE];

    for (int i = 0; i < args->foreign_count; i++)
        if (!is_left_out(args->foreign[i]))
            add_clang_words(command, args->foreign[i], NULL);
    for (int i = 0; i < macros->given; i++) {
        if (!is_macro(macros->values[i]))
            return misuse("-D takes NAME or NAME=VALUE, found", macros->values[i]);
        add_clang_words(command, "-D", macros->values[i]);
    }
    for (int i = 0; i < dirs->given; i++) {
        command->include_dirs[command->options.include_dir_count++] = dirs->values[i];
        add_clang_words(command, "-I", dirs->values[i]);
    }
    return 0;
}

/* Refuse options that exclude each other. Returns 0 to continue, else an exit status. */
static int check_options(const struct command *command)
{
    const struct pg_options *options = &command->options;

    if (command->interpose && !command->functions)
        return misuse("--interpose takes --functions NAME,NAME...", NULL);
    if (options->available && !command->interpose)
        return misuse("--available goes with --interpose", NULL);
    if (!command->interpose && command->functions)
        return misuse("--functions goes with --interpose", NULL);
    if (!command->interpose && !command->tables && command->suggest)
        return misuse("--suggest goes with --interpose or --table", NULL);
    if (command->interpose && command->tables)
        return misuse("--interpose or --table, not both", NULL);
    if (command->signature &&
        (command->interpose || command->tables || command->describe || options->sidecar))
        return misuse("--signature goes with -o, -I and -D alone", NULL);
    if ((command->interpose || command->tables) && command->describe &&
        (options->directory || command->suggest))
        return misuse("--describe of functions or of a table goes to standard output",
                      NULL);
    if (command->describe && command->tables && strchr(command->tables, ','))
        return misuse("--describe takes one table, found", command->tables);
    if (options->directory && !*options->directory)
        return misuse("an empty directory for -o", NULL);
    return 0;
}

int pg_options_read(const struct cca_args *args, struct command *command)
{
    const struct cca_given *given = args->options;
    struct pg_options *options = &command->options;
    int status = take_clang_words(command, args);

    options->directory = cca_given_value(&given[OUTPUT]);
    options->sidecar = cca_given_value(&given[SIDECAR]);
    options->available = given[AVAILABLE].given;
    command->describe = given[DESCRIBE].given;
    command->signature = given[SIGNATURE].given;
    command->interpose = given[INTERPOSE].given;
    command->suggest = given[SUGGEST].given;
    command->functions = cca_given_value(&given[FUNCTIONS]);
    command->tables = cca_given_value(&given[TABLE]);
    if (status)
        return status;
    if (!args->count)
        return misuse("no header given", NULL);
    if (args->count > 1)
        return misuse("one header, please; found also", args->words[1]);
    if ((status = check_options(command)))
        return status;
    options->library = command->interpose || command->tables;
    options->header = args->words[0];
    if (!options->directory && !command->describe)
        options->directory = ".";
    return 0;
}
