/* SPDX-License-Identifier: BSD-3-Clause */
/* completion.c: write a bash function that completes a program's command line: verbs,
 * options of the verb, values of an option that has a list of values; else files. */
#include <string.h>

#include "common/verbs/verbs.h"

/* largest number of options of all verbs that have the same name */
enum { MOST = 3 * CCA_OPTIONS_MOST };

/* Print the name of an option and its letter, with `between` before each. */
static void print_names(const struct cca_option *option, const char *between)
{
    printf("%s%s", between, option->name);
    if (option->letter)
        printf("%s%s", *between ? between : "|", option->letter);
}

static int has_option(const struct cca_option *options, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(options[i].name, name) == 0)
            return 1;
    return 0;
}

/* Collect the options of all verbs of this name that the help prints. Returns the number
 * of options. */
static size_t options_of(const struct cca_program *program, const char *name,
                         struct cca_option options[MOST])
{
    size_t count = 0;

    for (size_t v = 0; v < program->verb_count; v++) {
        struct cca_option own[CCA_OPTIONS_MOST];
        size_t own_count = cca_verb_options(program->verbs[v], own);

        for (size_t i = 0; i < own_count; i++)
            if (strcmp(program->verbs[v]->name, name) == 0 && own[i].help &&
                count < MOST && !has_option(options, count, own[i].name))
                options[count++] = own[i];
    }
    return count;
}

/* Print the shell code that completes the value of an option: from its list of values,
 * or as a file. */
static void print_values(const struct cca_option *options, size_t count)
{
    const char *bar = "        ";

    puts("        case $before in");
    for (size_t i = 0; i < count; i++)
        if (options[i].argument && strchr(options[i].argument, '|')) {
            fputs("        ", stdout);
            print_names(&options[i], "");
            fputs(") takes=1 values='", stdout);
            for (const char *at = options[i].argument; *at; at++)
                putchar(*at == '|' ? ' ' : *at);
            puts("' ;;");
        }
    for (size_t i = 0; i < count; i++)
        if (options[i].argument && !strchr(options[i].argument, '|')) {
            fputs(bar, stdout);
            print_names(&options[i], "");
            bar = "|";
        }
    puts(*bar == '|' ? ") takes=1 ;;\n        esac ;;" : "        esac ;;");
}

/* Print a verb's branch of the shell's `case`: its options and their values. Verbs with
 * the same name share a branch. */
static void print_verb(const struct cca_program *program, const char *name)
{
    struct cca_option options[MOST];
    size_t count = options_of(program, name, options);

    printf("    %s)\n        options='-h --help", name);
    for (size_t i = 0; i < count; i++)
        print_names(&options[i], " ");
    printf("'\n        words='");
    for (size_t v = 0; v < program->verb_count; v++)
        if (strcmp(program->verbs[v]->name, name) == 0)
            for (const char *const *f = program->verbs[v]->formats; f && *f; f++)
                printf("%s ", *f);
    puts("'");
    print_values(options, count);
}

static int is_first(const struct cca_program *program, size_t verb)
{
    size_t i = 0;

    while (strcmp(program->verbs[i]->name, program->verbs[verb]->name) != 0)
        i++;
    return i == verb;
}

/* Print the branch of the shell's `case` that completes the word after `help`: verbs,
 * pages, topics. */
static void print_help_case(const struct cca_program *program)
{
    fputs("    help)\n        options='--reference --man --completion", stdout);
    for (size_t i = 0; i < program->topic_count; i++)
        print_names(&program->topics[i], " ");
    puts("'\n        words=$verbs\n        case $before in");
    for (size_t i = 0; i < program->topic_count; i++)
        printf("        %s) takes=1 values=$(\"$1\" help %s 2>/dev/null) ;;\n",
               program->topics[i].name, program->topics[i].name);
    puts("        *) takes='' ;;\n        esac ;;");
}

void cca_program_print_completion(const struct cca_program *program)
{
    const char *usual = program->default_verb ? program->default_verb->name : "";
    int has_verbs = program->verb_count > 1;

    printf("# Completion of %s for bash, printed by `%s help --completion`.\n_%s() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before='' verb='%s' options='' "
           "words='' "
           "takes='' values=''\n    local verbs='",
           program->name, program->name, program->name, usual);
    for (size_t i = 0; i < program->verb_count && has_verbs; i++)
        if (is_first(program, i))
            printf("%s ", program->verbs[i]->name);
    puts(has_verbs ? "help'" : "'");
    puts("    [ \"$COMP_CWORD\" -lt 1 ] || before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    case \" $verbs \" in *\" ${COMP_WORDS[1]} \"*)\n"
         "        [ \"$COMP_CWORD\" -eq 1 ] || verb=${COMP_WORDS[1]} ;;\n    esac\n"
         "    case $verb in");
    for (size_t i = 0; i < program->verb_count; i++)
        if (is_first(program, i))
            print_verb(program, program->verbs[i]->name);
    if (has_verbs)
        print_help_case(program);
    puts("    esac\n"
         "    [ \"$COMP_CWORD\" -ne 1 ] || words=\"$verbs $words\"\n"
         "    [ \"$COMP_CWORD\" -ne 1 ] || options=\"$options -V --version\"\n"
         "    COMPREPLY=()\n"
         "    if [ -n \"$values\" ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
         "    elif [ -z \"$takes\" ] && [ \"${word:0:1}\" = - ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "    else\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        [ -n \"$takes\" ] ||\n"
         "            mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "        mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- "
         "\"$word\")\n"
         "    fi\n}");
    printf("complete -F _%s %s\n", program->name, program->name);
}
