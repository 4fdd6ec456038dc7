/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_script_fuzz.c: scripts of every command with right, wrong and missing
 * arguments, checked and run, in both ways of reading them. Nothing crashes, every
 * complaint is one line with its place, and what `check` finds nothing wrong with fails
 * in a run only where a component does.
 *
 * 600 scripts of each kind, 20,000 with SOAK set; the first argument says another number,
 * the second where the random numbers begin. */
#include "tests/lib/test.h"

#include "framework/script/script.h"

enum { ROOM = 64 * 1024, MOST_LINES = 30 };

static uint64_t seed = 88172645463325252u;
static int rounds = 200;
static char folder[PATH_MAX]; /* of the test's own */
static int full;              /* of components: the class that refuses comes in, too */

static size_t pick(size_t count)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed >> 11) % count;
}

#define ONE_OF(list) (list)[pick(sizeof(list) / sizeof *(list))]

/* --- Words ---------------------------------------------------------------- */

static const char *a_class(void)
{
    static const char *const names[] = {
        "ScWorker", "ScSource",     "ScWorker", "ScSource", "ScWide", "NotThere",
        "scwork",   "a.b.ScSource", "Worker",   "",         "Sc"};

    return names[pick(full ? sizeof names / sizeof *names : 4)];
}

static const char *an_instance(void)
{
    static const char *const names[] = {"w",         "s",    "v", "t",  "ScWorker0",
                                        "ScSource0", "none", "W", "''", "ALL"};

    return names[pick(pick(8) ? 4 : sizeof names / sizeof *names)];
}

static const char *a_port(void)
{
    static const char *const names[] = {"data", "spare", "go",      "config", "old",
                                        "data", "data",  "nothing", "$NAME"};

    return names[pick(pick(8) ? 7 : sizeof names / sizeof *names)];
}

static const char *a_value(void)
{
    static const char *const values[] = {
        "1",           "7",        "0.25",  "true",
        "hold",        "number",   "words", "-3",
        "'a b'",       "\"\\t\"",  "$NAME", "${NAME}x",
        "title",       "nx",       "ratio", "ALL",
        "Int",         "Double",   "Bool",  "String",
        "1e999",       "''",       "#",     "$NOT_SET",
        "Float",       "Fcomplex", "(1,2)", "StringArray",
        "DoubleArray", "\"1 2\"",  "'open", "99999999999999999999",
        "nan"};

    return ONE_OF(values);
}

static const char *a_key(void)
{
    static const char *const keys[] = {
        "nx",     "title",           "fail",          "ratio", "loud", "nothing",
        "colour", "MAX_CONNECTIONS", "ABLE_TO_PROXY", "ALL"};

    return keys[pick(pick(6) ? 5 : sizeof keys / sizeof *keys)];
}

/* --- Scripts -------------------------------------------------------------- */

/* In an argument: c class, i instance, p port, k key, v value; anything else stands for
 * itself. What only a component can know (a property that nobody has set) is left out of
 * `sure`. */
static const char *const sure[] = {"instantiate c i",
                                   "create c i",
                                   "pulldown c",
                                   "instant c i",
                                   "connect i p i p",
                                   "connect w data s data",
                                   "connect v data s data",
                                   "connect v spare s data",
                                   "disconnect i p i p",
                                   "disconnect w data s data",
                                   "parameter i config k v",
                                   "parameters i p k",
                                   "configure i config ALL",
                                   "parameter w config nx 5",
                                   "parameter w config fail hold",
                                   "go i go",
                                   "run w go",
                                   "go v go",
                                   "remove i",
                                   "insert i p",
                                   "insert i p c",
                                   "eject i p",
                                   "property i k blue",
                                   "property i",
                                   "port-property i p k Int 3",
                                   "port-property i p",
                                   "nuke all",
                                   "display",
                                   "display chain i",
                                   "display state",
                                   "display component i",
                                   "arena",
                                   "instances",
                                   "palette",
                                   "pallet",
                                   "classes",
                                   "links",
                                   "chain",
                                   "debug",
                                   "noisy",
                                   "nodebug",
                                   "quiet",
                                   "help",
                                   "help conn",
                                   "? path",
                                   "path",
                                   "path list",
                                   "repository list",
                                   "repository get c",
                                   "repository get-global c",
                                   "instantiate ScWorker w",
                                   "instantiate ScSource s",
                                   "instantiate ScWorker v",
                                   "instantiate ScSource t",
                                   "create ScWide x",
                                   "parameter w config fail words",
                                   "source other.rc",
                                   "# nothing",
                                   "! nothing",
                                   "// nothing"};

static const char *const odd[] = {"property i k",
                                  "port-property i p k",
                                  "port-property i p k v v",
                                  "nuke i",
                                  "display v",
                                  "help v",
                                  "path append v",
                                  "path set v",
                                  "path init",
                                  "path prepend .",
                                  "repository get-ports v",
                                  "repository init",
                                  "repository v",
                                  "repository get",
                                  "source v",
                                  "shell true",
                                  "system v",
                                  "quit v",
                                  "quit",
                                  "exit 4",
                                  "setSize 1 2",
                                  "move i 3 4",
                                  "eof",
                                  "p",
                                  "re",
                                  "con i p i p",
                                  "pal",
                                  "v v v v v v v",
                                  "go",
                                  "connect i",
                                  "parameter i config",
                                  "nuke",
                                  "source script.rc",
                                  "i",
                                  "path append a ; # b",
                                  "\\",
                                  "#!eof"};

static size_t expand(const char *form, char *text, size_t room)
{
    size_t size = 0;

    for (; *form && size + 100 < room; form++) {
        int alone = (form[1] == ' ' || !form[1]) && size > 0 && text[size - 1] == ' ';
        const char *word = !alone         ? NULL
                           : *form == 'c' ? a_class()
                           : *form == 'i' ? an_instance()
                           : *form == 'p' ? a_port()
                           : *form == 'k' ? a_key()
                           : *form == 'v' ? a_value()
                                          : NULL;

        if (word)
            size += (size_t)snprintf(text + size, room - size, "%s", word);
        else
            text[size++] = *form;
    }
    text[size++] = '\n';
    return size;
}

/* Lines at random; `wild`: also of the odd ones, and with bytes changed. */
static size_t make_script(char *text, size_t room, int wild)
{
    size_t size = 0;

    for (size_t lines = 1 + pick(MOST_LINES); lines > 0; lines--)
        size += expand(wild && pick(3) == 0 ? ONE_OF(odd) : ONE_OF(sure), text + size,
                       room - size);
    for (size_t edits = wild && pick(2) ? pick(8) : 0; edits > 0; edits--) {
        size_t at = pick(size);

        if (pick(2))
            text[at] = (char)pick(256);
        else
            text[at] = " \t\n\\'\"$#;{}!/\r"[pick(14)];
    }
    return size;
}

static void write_file(const char *name, const char *text, size_t size)
{
    char path[PATH_MAX + 20];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* --- Runs ----------------------------------------------------------------- */

/* Each complaint is FILE:LINE: words, in printable bytes. */
static void look_at(char *words)
{
    char *rest = words, *line;

    while ((line = strsep(&rest, "\n")) && (rest || *line)) {
        char *colon = strstr(line, ".rc:");

        if (!rest)
            fail_msg("the last line does not end: %s", line);
        if (strstr(line, ".rc: not measured"))
            continue;
        if (!colon || strtol(colon + 4, &colon, 10) < 1 || strncmp(colon, ": ", 2) != 0 ||
            !colon[2])
            fail_msg("no place, or no words: %s", line);
        for (const char *c = line; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                fail_msg("a control character: %s", line);
    }
}

/* Run the script file with these options; its words are looked at. Returns its exit
 * status. */
static int run(struct cca_script_options how)
{
    const struct cca_framework_options setup = {.dry = how.check};
    struct cca_framework *framework = cca_framework_new(&setup, NULL);
    struct cca_script *script;
    char *words = NULL, path[PATH_MAX + 20], classes[PATH_MAX + 20];
    size_t size;
    int status;

    assert_non_null(framework);
    how.words = open_memstream(&words, &size);
    how.out = fopen("/dev/null", "w");
    assert_non_null(how.words);
    assert_non_null(how.out);
    script = cca_script_new(framework, &how);
    assert_non_null(script);
    snprintf(path, sizeof path, "%s/script.rc", folder);
    snprintf(classes, sizeof classes, "%s/lib", folder);
    assert_int_equal(cca_script_path(script, classes, NULL), 0);
    assert_int_equal(cca_script_define(script, "NAME", "a value"), 0);
    status = cca_script_run(script, path);
    cca_script_free(script);
    cca_framework_free(framework);
    fclose(how.out);
    fclose(how.words);
    look_at(words);
    free(words);
    return status;
}

/* What components print goes nowhere. */
static int silence(void)
{
    int saved, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
    close(nowhere);
    return saved;
}

static void speak(int saved)
{
    fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    close(saved);
}

static void is_known(int status)
{
    if (status < 0 || status > 255)
        fail_msg("exit status %d", status);
}

static void scripts_of_every_kind(int wild, struct cca_script_options how)
{
    char *text = malloc(ROOM);
    int saved = silence();

    assert_non_null(text);
    full = 1;
    for (int i = 0; i < rounds; i++) {
        write_file("script.rc", text, make_script(text, ROOM, wild));
        write_file("other.rc", text, make_script(text, ROOM, wild));
        is_known(run(how));
    }
    speak(saved);
    free(text);
}

TEST(checked)
{
    scripts_of_every_kind(1, (struct cca_script_options){.check = 1});
}

TEST(checked_as_ccaffeine)
{
    scripts_of_every_kind(1, (struct cca_script_options){.check = 1, .compat = 1});
}

TEST(run_to_the_first_mistake)
{
    scripts_of_every_kind(1, (struct cca_script_options){.allow_shell = 0});
}

TEST(run_on_after_mistakes)
{
    scripts_of_every_kind(1, (struct cca_script_options){.interactive = 1});
}

TEST(run_as_ccaffeine)
{
    scripts_of_every_kind(1, (struct cca_script_options){.compat = 1});
}

/* Scripts that are mostly right, so that many pass. */
TEST(what_check_passes_only_components_fail)
{
    const struct cca_script_options check = {.check = 1}, plain = {.check = 0};
    char *text = malloc(ROOM);
    int saved = silence(), passed = 0, failed = 0, went = 0;

    assert_non_null(text);
    full = 0;
    write_file("other.rc", "property w from other\n", 0);
    for (int i = 0; i < 4 * rounds; i++) {
        static const char start[] = "instantiate ScWorker w\ninstantiate ScSource s\n"
                                    "connect w data s data\n";
        size_t size = sizeof start - 1;

        memcpy(text, start, size);
        for (size_t lines = pick(7); lines > 0; lines--)
            size += expand(ONE_OF(sure), text + size, ROOM - size);
        write_file("script.rc", text, size);
        if (run(check) == CCA_EXIT_DONE) {
            int status = run(plain);

            passed++;
            went += status == CCA_EXIT_DONE;
            if (status != CCA_EXIT_DONE && status != CCA_EXIT_COMPONENT)
                fail_msg("check passes what a run ends with %d:\n%.*s", status, (int)size,
                         text);
        } else {
            failed++;
        }
    }
    speak(saved);
    free(text);
    print_message("%d passed, %d of them went well, %d have mistakes\n", passed, went,
                  failed);
    assert_true(passed > rounds / 4 && failed > rounds / 4 && went > passed / 2);
}

/* --- Setting up ----------------------------------------------------------- */

static int set_up(void **state)
{
    static const char *const libraries[] = {"sc_worker.so", "sc_source.so", "sc_wide.so"};
    const char *tree = getenv("O"), *tmp = getenv("TMPDIR");
    char from[PATH_MAX], to[PATH_MAX + 40];

    (void)state;
    snprintf(folder, sizeof folder, "%s/cca_fuzz_XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(to, sizeof to, "%s/lib", folder);
    if (mkdir(to, 0700) < 0)
        return -1;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        snprintf(from, sizeof from, "%s/tests/components/%s", tree ? tree : ".",
                 libraries[i]);
        snprintf(to, sizeof to, "%s/lib/%s", folder, libraries[i]);
        if (symlink(from, to) < 0)
            return -1;
    }
    snprintf(to, sizeof to, "%s/lib/index.cca", folder);
    write_file("lib/index.cca", "!location=/nowhere\nsc_worker.so\ncreate_W Worker\n",
               49);
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"lib/sc_worker.so", "lib/sc_source.so",
                                        "lib/sc_wide.so",   "lib/index.cca",
                                        "script.rc",        "other.rc"};
    char path[PATH_MAX + 40];

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/lib", folder);
    rmdir(path);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    if (getenv("SOAK"))
        rounds = 20000;
    if (argc > 1)
        rounds = atoi(argv[1]);
    if (argc > 2)
        seed += strtoull(argv[2], NULL, 10);
    return cmocka_run_group_tests(test_list, set_up, tear_down);
}
