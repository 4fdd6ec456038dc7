/* SPDX-License-Identifier: BSD-3-Clause */
/* script_commands.c: the table of commands, and their help. The code of the commands is
 * in script_path.c, script_assembly.c, script_property.c, script_session.c,
 * script_display.c. */
#include <string.h>

#include "framework/script/script_core.h"

/* --- The table ------------------------------------------------------------ */

static cca_script_action run_help;

const struct cca_script_command cca_script_commands[] = {
    {.names = {"path"},
     .usage = "path [list|append DIR|prepend DIR|set DIR|init]",
     .summary = "where classes are looked for",
     .more = "    path, path list         print the directories, one a line\n"
             "    path append DIR         put DIR last; several with ':' between\n"
             "    path prepend DIR        put DIR first\n"
             "    path set DIR            these and no others\n"
             "    path init               set it to $CCA_COMPONENT_PATH\n",
     .most = 2,
     .run = cca_script_path_command},
    {.names = {"repository"},
     .usage = "repository list|get CLASS|get-global CLASS|get-ports LIBRARY|init",
     .summary = "the classes on the path, and the loading of them",
     .more =
         "    repository list         print them, and libraries that were refused\n"
         "    repository get CLASS    load a class now; get-global: for libraries that\n"
         "                            are loaded later, too; get-lazy,\n"
         "                            get-lazy-global: as get, get-global\n"
         "    repository get-ports LIBRARY\n"
         "                            load a library that others need and is no class\n"
         "    repository init         get the classes of --load; also init-global,\n"
         "                            init-lazy, init-lazy-global\n",
     .least = 1,
     .most = 2,
     .class_word = 2,
     .run = cca_script_repository},
    {.names = {"instantiate", "create", "pulldown"},
     .usage = "instantiate CLASS [NAME]",
     .summary = "make an instance",
     .more =
         "    Without a name: that of its class with the lowest free number, from 0.\n",
     .least = 1,
     .most = 2,
     .class_word = 1,
     .run = cca_script_instantiate},
    {.names = {"connect"},
     .usage = "connect USER USES_PORT PROVIDER PROVIDES_PORT",
     .summary = "connect two ports of one type and size",
     .kinds = "isis",
     .least = 4,
     .most = 4,
     .run = cca_script_connect,
     .run_ghost = cca_script_connect_ghost},
    {.names = {"disconnect"},
     .usage = "disconnect USER USES_PORT PROVIDER PROVIDES_PORT",
     .summary = "part them; refused while the port is in use",
     .kinds = "isis",
     .least = 4,
     .most = 4,
     .run = cca_script_disconnect,
     .run_ghost = cca_script_connect_ghost},
    {.names = {"parameters", "configure", "parameter"},
     .last_is_ours = 1,
     .usage = "parameter INSTANCE PORT KEY|ALL [VALUE]",
     .summary = "set or print a parameter",
     .more = "    The port that the framework serves is 'config'. Several words of a "
             "value are\n"
             "    joined by one blank. Without a value it is printed, with ALL all of "
             "them.\n",
     .kinds = "i",
     .least = 3,
     .most = (size_t)-1,
     .run = cca_script_parameter},
    {.names = {"go", "run"},
     .usage = "go INSTANCE PORT",
     .summary = "call a Go port",
     .more =
         "    Refused while something that it can reach misses a required connection.\n",
     .kinds = "i",
     .least = 2,
     .most = 2,
     .run = cca_script_go},
    {.names = {"remove"},
     .usage = "remove INSTANCE",
     .summary = "disconnect and destroy an instance; refused while it is in use",
     .kinds = "i",
     .least = 1,
     .most = 1,
     .run = cca_script_remove,
     .run_ghost = cca_script_remove_ghost},
    {.names = {"nuke"},
     .usage = "nuke all",
     .summary = "remove all instances",
     .least = 1,
     .most = 1,
     .run = cca_script_nuke},
    {.names = {"insert"},
     .last_is_ours = 1,
     .usage = "insert INSTANCE PORT [CLASS]",
     .summary = "put an interposer in front of a provides port",
     .more = "    CLASS, or the default proxy of the port's type, is put between the "
             "port and\n    its present and later users.\n",
     .kinds = "i",
     .least = 2,
     .most = 3,
     .class_word = 3,
     .run = cca_script_insert},
    {.names = {"eject"},
     .last_is_ours = 1,
     .usage = "eject INSTANCE PORT",
     .summary = "take an interposer out again",
     .kinds = "i",
     .least = 2,
     .most = 2,
     .run = cca_script_eject},
    {.names = {"dispatch"},
     .last_is_ours = 1,
     .usage = "dispatch INSTANCE PORT FILE",
     .summary = "let each call of a provides port go to one of several classes",
     .more =
         "    FILE has the rules, which `mastermind choose --dispatch` writes; its name "
         "is\n    relative to this script's.\n",
     .kinds = "i",
     .least = 3,
     .most = 3,
     .run = cca_script_dispatch},
    {.names = {"swap"},
     .last_is_ours = 1,
     .usage = "swap INSTANCE [CLASS [at STEP]]",
     .summary = "exchange the class of an instance while the program runs",
     .more = "    Between two `go`: now; `at STEP`: at that announcement of a step by a "
             "component,\n    counted from this command. Without CLASS: components may "
             "request "
             "swaps.\n",
     .kinds = "i",
     .least = 1,
     .most = 4,
     .class_word = 2,
     .run = cca_script_swap},
    {.names = {"shadow"},
     .last_is_ours = 1,
     .usage = "shadow INSTANCE PORT CLASS[,CLASS...] RATE%",
     .summary = "at RATE of the calls, call other classes on copies of the arguments",
     .kinds = "i",
     .least = 4,
     .most = 4,
     .run = cca_script_shadow},
    {.names = {"property"},
     .usage = "property INSTANCE [KEY [VALUE]]",
     .summary = "set or print properties of an instance",
     .more = "    Values are strings; several words are joined by one blank.\n",
     .kinds = "i",
     .least = 1,
     .most = (size_t)-1,
     .run = cca_script_property},
    {.names = {"port-property"},
     .usage = "port-property INSTANCE PORT [KEY [TYPE VALUE]]",
     .summary = "set or print properties of a port",
     .more =
         "    TYPE is Int, Long, Double, String or Bool. What the framework goes by\n"
         "    (cca.portName, cca.portType, MIN_CONNECTIONS, MAX_CONNECTIONS) is fixed.\n",
     .kinds = "i",
     .least = 2,
     .most = (size_t)-1,
     .run = cca_script_port_property},
    {.names = {"display"},
     .usage = "display [palette|arena|chain [INSTANCE]|component INSTANCE|state]",
     .summary = "print the assembly",
     .more = "    palette    classes that are loaded\n"
             "    arena      instances\n"
             "    chain      connections, or those of one instance\n"
             "    component  class, file, ports and parameters of one instance\n"
             "    state      instances with properties and parameters, connections\n"
             "    All but component are printed as the commands that make them.\n",
     .kinds = "si",
     .most = 2,
     .run = cca_script_display},
    {.names = {"pallet", "palette", "classes"},
     .last_is_ours = 1,
     .usage = "palette",
     .summary = "print the classes that are loaded",
     .run = cca_script_palette},
    {.names = {"arena", "instances"},
     .usage = "arena",
     .summary = "print the instances",
     .run = cca_script_arena},
    {.names = {"links", "chain"},
     .usage = "chain",
     .summary = "print the connections",
     .run = cca_script_chain},
    {.names = {"source"},
     .last_is_ours = 1,
     .usage = "source FILE",
     .summary = "run another script; its name is relative to this one's",
     .least = 1,
     .most = 1,
     .run = cca_script_source_command},
    {.names = {"shell", "system"},
     .usage = "shell COMMAND",
     .summary = "run a command of the system; needs the option --allow-shell",
     .more = "    Its words are joined by one blank and given to sh. A status other than "
             "0 is\n"
             "    an error.\n",
     .least = 1,
     .most = (size_t)-1,
     .run = cca_script_shell},
    {.names = {"debug", "noisy"},
     .usage = "debug",
     .summary = "print each command on standard error before it runs",
     .run = cca_script_debug},
    {.names = {"nodebug", "quiet"},
     .usage = "nodebug",
     .summary = "no longer print commands",
     .run = cca_script_nodebug},
    {.names = {"help", "?"},
     .usage = "help [COMMAND]",
     .summary = "list the commands, or print the help of one",
     .most = 1,
     .run = run_help},
    {.names = {"quit", "exit", "bye", "x"},
     .usage = "quit [STATUS]",
     .summary = "end, with an exit status from 0 to 255",
     .most = 1,
     .run = cca_script_quit},
    {.run = NULL},
};
/* --- help ----------------------------------------------------------------- */

/* True for the name of a command that its usage line has. */
static int is_main_name(const struct cca_script_command *command, const char *name)
{
    size_t length = strlen(name);

    return strncmp(command->usage, name, length) == 0 &&
           (command->usage[length] == ' ' || !command->usage[length]);
}

static void say_help(struct cca_script *script, const struct cca_script_command *command)
{
    const char *comma = "    also: ";

    cca_script_say(script, "%s\n    %s\n%s", command->usage, command->summary,
                   command->more ? command->more : "");
    for (const char *const *name = command->names; *name; name++)
        if (!is_main_name(command, *name)) {
            cca_script_say(script, "%s%s", comma, *name);
            comma = ", ";
        }
    if (*comma == ',')
        cca_script_say(script, "\n");
}

static int run_help(struct cca_script *script, char **words, size_t count,
                    struct cca_error *err)
{
    const struct cca_script_command *command, *likely;

    for (command = script->commands; count == 1 && command->run; command++)
        cca_script_say(script, "%-14.*s  %s\n", (int)strcspn(command->usage, " "),
                       command->usage, command->summary);
    if (count == 1) {
        cca_script_say(script, "'help COMMAND' describes one of them.\n");
        return CCA_EXIT_DONE;
    }
    command = cca_script_command_find(script, words[1], &likely, err);
    if (!command)
        return CCA_EXIT_BAD_INPUT;
    say_help(script, command);
    return CCA_EXIT_DONE;
}
