/* SPDX-License-Identifier: BSD-3-Clause */
/* options.c: parse the command line of proxygen. */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/options.h"
#include "tools/proxygen/command.h"
#include "tools/proxygen/emit/emit.h"

static const char usage[] =
    "usage: proxygen HEADER [-o DIR] [-I DIR]... [-D NAME[=VALUE]]... [--sidecar FILE]\n"
    "       proxygen --describe HEADER [-o DIR] ...\n"
    "       proxygen --signature HEADER [-o DIR] ...\n"
    "       proxygen --interpose HEADER --functions NAME,NAME... [-o DIR] ...\n"
    "       proxygen --table NAME,NAME... HEADER [-o DIR] ...\n";

static const char notes[] =
    "Output of pkg-config --cflags may be given: -U -include -isystem -iquote -idirafter "
    "-std= -pthread -f... -m... are passed to clang; -W... -O... -g... -l... -L... are "
    "ignored.";

#define AT(member) offsetof(struct command, member)

/* An option, and the offset of its variable in struct command: a text if the option takes
 * an argument, else an int that is set to 1. Offset 0: take_option handles the option. */
static const struct row {
    size_t place;
    struct cca_option option;
} rows[] = {
    {AT(options.directory),
     {"-o", "DIR", "write <port>_proxy.c to DIR, made if absent (default: .)", NULL}},
    {0,
     {"-I", "DIR",
      "search DIR for included headers; the generated code includes HEADER by its "
      "name relative to DIR",
      NULL}},
    {0, {"-D", "NAME[=VALUE]", "define a macro", NULL}},
    {AT(options.sidecar),
     {"--sidecar", "FILE", "take marks from FILE, for a header that must not be changed",
      NULL}},
    {AT(describe),
     {"--describe", NULL,
      "write the interface as JSON instead of code: to standard output, or with -o "
      "to DIR/TYPE.describe.json, where FfiProxy finds it",
      NULL}},
    {AT(signature),
     {"--signature", NULL,
      "write HEADER_signature.h instead of code: a class states with it the "
      "prototypes that it was compiled with",
      NULL}},
    {AT(interpose),
     {"--interpose", NULL,
      "HEADER belongs to a library: write HEADER_interpose.c, which is preloaded in "
      "front of its functions, and compile it with $CC or cc",
      NULL}},
    {AT(functions),
     {"--functions", "LIST",
      "the functions to interpose; a name may be a pattern, as 'gzip*'", NULL}},
    {AT(options.available),
     {"--available", NULL,
      "leave out functions of the list that the header lacks or that cannot be "
      "forwarded, with a line for each",
      NULL}},
    {AT(tables),
     {"--table", "LIST",
      "HEADER has structs of function pointers with these names: write "
      "HEADER_tables.c and .h; their NAME_wrap() makes a table that forwards to "
      "another one",
      NULL}},
    {AT(suggest),
     {"--suggest", NULL,
      "with --interpose or --table: print proposed marks as a sidecar, from names "
      "and types, and write nothing",
      NULL}},
    {0, {"--help", NULL, "print this text", "-h"}},
    {0, {"--version", NULL, "print the version", "-V"}},
};
enum { ROWS = sizeof rows / sizeof *rows, HELP_COLUMN = 20, FIRST_VALUE = 256 };

static int misuse(const char *what, const char *word)
{
    fprintf(stderr, "proxygen: %s%s%s%s\n%s", what, word ? " '" : "", word ? word : "",
            word ? "'" : "", usage);
    return MISUSE;
}

/* True for NAME, NAME=VALUE and NAME(ARGUMENTS)=VALUE. */
static int is_macro(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789");

    return length > 0 && (*text < '0' || *text > '9') && strchr("=(", text[length]);
}

/* --- Options of compilers ------------------------------------------------- */

enum word { NOT_THEIRS, PASSED, PASSED_WITH_NEXT, LEFT_OUT, OURS_WITH_NEXT };

static int word_begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static enum word kind_of(const char *word)
{
    static const char *const with_next[] = {"-include", "-imacros", "-isystem", "-iquote",
                                            "-idirafter"};

    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].option.argument && strcmp(word, rows[i].option.name) == 0)
            return OURS_WITH_NEXT;
    for (size_t i = 0; i < sizeof with_next / sizeof *with_next; i++)
        if (word_begins(word, with_next[i]))
            return strcmp(word, with_next[i]) == 0 ? PASSED_WITH_NEXT : PASSED;
    if (strcmp(word, "-U") == 0)
        return PASSED_WITH_NEXT;
    if (strcmp(word, "-pthread") == 0 || word_begins(word, "-std=") ||
        word_begins(word, "-U") || word_begins(word, "-m") || word_begins(word, "-f"))
        return PASSED;
    /* options for warnings, optimisation, and linkers */
    if (word_begins(word, "-W") || word_begins(word, "-O") || word_begins(word, "-g") ||
        word_begins(word, "-l") || word_begins(word, "-L"))
        return LEFT_OUT;
    return NOT_THEIRS;
}

/* Move options of C compilers, as `pkg-config --cflags` prints them, from argv to
 * clang_args; drop options that do not change how a header is read. Returns the new argc,
 * or -1 if an option lacks its argument. */
static int move_compiler_words(int argc, char **argv, struct command *command)
{
    struct pg_options *options = &command->options;
    int kept = 1;

    for (int i = 1; i < argc; i++) {
        enum word kind = kind_of(argv[i]);
        int words = kind == PASSED_WITH_NEXT || kind == OURS_WITH_NEXT ? 2 : 1;

        if (strcmp(argv[i], "--") == 0)
            words = argc - i;
        if (kind == PASSED_WITH_NEXT && i + 1 == argc)
            return -1;
        for (int j = i; j < i + words && j < argc; j++) {
            if (kind == NOT_THEIRS || kind == OURS_WITH_NEXT)
                argv[kept++] = argv[j];
            else if (kind != LEFT_OUT)
                command->clang_args[options->clang_arg_count++] = argv[j];
        }
        i += words - 1;
    }
    argv[kept] = NULL;
    return kept;
}

/* --- Options of proxygen -------------------------------------------------- */

/* The value that getopt_long returns for a row. */
static int value_of(size_t row)
{
    const struct cca_option *option = &rows[row].option;

    return option->name[1] != '-' ? option->name[1]
           : option->letter       ? option->letter[1]
                                  : FIRST_VALUE + (int)row;
}

static void fill_longs(struct option longs[ROWS + 1])
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].option.name[1] == '-')
            *longs++ =
                (struct option){rows[i].option.name + 2, rows[i].option.argument != NULL,
                                NULL, value_of(i)};
    *longs = (struct option){0};
}

static int print_help(void)
{
    printf("%s\nWrite the proxy component of a port, from the header of the port.\n\n",
           usage);
    for (size_t i = 0; i < ROWS; i++)
        cca_option_print(stdout, &rows[i].option, HELP_COLUMN);
    putchar('\n');
    cca_help_print(stdout, notes, 0);
    puts("\nExit status: 0 done; 2 misuse; 3 bad header or sidecar; 5 I/O or memory.");
    return pg_told();
}

/* Handle the option `value` of getopt_long. Returns 0 to go on. */
static int take_option(struct command *command, int value, const char *word)
{
    struct pg_options *options = &command->options;
    size_t row = 0;

    switch (value) {
    case 'h':
        return print_help();
    case 'V':
        puts("proxygen " PG_VERSION);
        return pg_told();
    case ':':
        return misuse("an argument is missing after", word);
    case '?':
        return misuse("unknown option", word);
    case 'D':
        if (!is_macro(optarg))
            return misuse("-D takes NAME or NAME=VALUE, found", optarg);
        command->clang_args[options->clang_arg_count++] = "-D";
        command->clang_args[options->clang_arg_count++] = optarg;
        return 0;
    case 'I':
        command->include_dirs[options->include_dir_count++] = optarg;
        command->clang_args[options->clang_arg_count++] = "-I";
        command->clang_args[options->clang_arg_count++] = optarg;
        return 0;
    }
    while (value_of(row) != value)
        row++;
    if (rows[row].option.argument)
        memcpy((char *)command + rows[row].place, &optarg, sizeof optarg);
    else
        memcpy((char *)command + rows[row].place, &(int){1}, sizeof(int));
    return 0;
}

/* Refuse options that exclude each other. Returns 0 to go on. */
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

int pg_options_parse(int argc, char **argv, struct command *command)
{
    struct pg_options *options = &command->options;
    struct option longs[ROWS + 1];
    int value, status;

    argc = move_compiler_words(argc, argv, command);
    if (argc < 0)
        return misuse("an argument is missing behind the last word", NULL);
    fill_longs(longs);
    opterr = 0;
    while ((value = getopt_long(argc, argv, ":o:I:D:hV", longs, NULL)) >= 0)
        if ((status = take_option(command, value, argv[optind - 1])))
            return status;
    if (optind == argc)
        return misuse("no header given", NULL);
    if (optind + 1 < argc)
        return misuse("one header, please; found also", argv[optind + 1]);
    if ((status = check_options(command)))
        return status;
    options->library = command->interpose || command->tables;
    options->header = argv[optind];
    if (!options->directory && !command->describe)
        options->directory = ".";
    return 0;
}
