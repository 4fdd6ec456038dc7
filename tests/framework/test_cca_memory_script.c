/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_memory_script.c: a script of every command, in which every allocation fails
 * once: run, checked, and both as Ccaffeine reads it. It ends with the status that says
 * so, or as if nothing had been, where that could be done without; each complaint is one
 * line with its place. Nothing is lost (the leak checker of an asan build looks). */
#include "tests/lib/fail_malloc.h"
#include "tests/lib/test.h"

#include "framework/script/script.h"

#if TEST_ASAN
/* The dynamic linker's own list of what symbols are seen by all: the leak checker knows
 * its memory by who has called malloc, which is the malloc of this file. */
CCA_EXPORT const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:add_to_global_resize\n";
}
#endif

static char folder[PATH_MAX]; /* of the test's own */

static const char plain[] = "#!ccaffeine bootstrap file.\n"
                            "# comment \\\n"
                            "  goes on\n"
                            "path\n"
                            "path append $LIB   # of the test\n"
                            "path prepend '.'\n"
                            "repository list\n"
                            "repository get ScSource\n"
                            "repository init\n"
                            "repository get-ports sc_source.so\n"
                            "instantiate ScWorker w\n"
                            "create ScSource s\n"
                            "pulldown ScSource\n"
                            "property w colour \"a ${NAME}\\tb\" 'c d'\n"
                            "property w colour\n"
                            "property w\n"
                            "port-property w data weight Double 1e3\n"
                            "port-property w data parts DoubleArray 1 2 3\n"
                            "port-property w data names StringArray 'a \"b c\"'\n"
                            "port-property w data\n"
                            "connect w data s data\n"
                            "parameter w config title 'two words'\n"
                            "parameter w config ALL\n"
                            "parameter w config ratio 0.25\n"
                            "parameter w config ratio\n"
                            "debug\n"
                            "display palette\n"
                            "nodebug\n"
                            "source other.rc\n"
                            "display\n"
                            "display component w\n"
                            "display chain w\n"
                            "go w go\n"
                            "disconnect w data s data\n"
                            "remove s\n"
                            "nuke all\n"
                            "help connect\n"
                            "help\n"
                            "quit\n";

/* Words that Ccaffeine has, as it reads them. */
static const char old[] = "#!ccaffeine bootstrap file.\n"
                          "path set CLASSES=LIBRARIES\n"
                          "repository get ScWorker\n"
                          "repository get-lazy ScSource\n"
                          "create scwork w\n"
                          "instantiate Source s ; # a note\n"
                          "setSize 100 100\n"
                          "move w 3 4\n"
                          "connect w data s data\n"
                          "configure w config nx 5\n"
                          "configure w config ALL\n"
                          "property w colour light   blue\n"
                          "display arena\n"
                          "pallet\n"
                          "chain\n"
                          "go w go\n"
                          "disconnect w data s data\n"
                          "remove s\n"
                          "nuke all\n"
                          "eof\n"
                          "bye\n";

static void write_file(const char *name, const char *text)
{
    char path[PATH_MAX + 20];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Each complaint is FILE:LINE: words; where the script has ended badly one says that
 * memory ran out. The file itself has no line, and what `debug` prints is no complaint.
 */
static void look_at(char *words, int status, long number)
{
    static const char unread[] = "cannot read script";
    char *rest = words, *line;
    int said = 0;

    while ((line = strsep(&rest, "\n")) && (rest || *line)) {
        char *colon = strstr(line, ".rc:");
        int file = strncmp(line, unread, sizeof unread - 1) == 0;

        if (!file && (strncmp(line, folder, strlen(folder)) != 0 || !colon ||
                      strtol(colon + 4, &colon, 10) < 1 || strncmp(colon, ": ", 2) != 0))
            fail_msg("allocation %ld: no place: %s", number, line);
        if (file || strncmp(colon, ": + ", 4) != 0) {
            said |= strstr(line, "emory") != NULL;
            if (status == CCA_EXIT_DONE)
                fail_msg("allocation %ld: status 0, and: %s", number, line);
        }
    }
    if (status != CCA_EXIT_DONE && !said)
        fail_msg("allocation %ld: status %d and no word of memory", number, status);
}

/* Run a script with allocation `number` failing. 0: there are not so many. */
static int run(const char *name, struct cca_script_options how, long number)
{
    const struct cca_framework_options setup = {.dry = how.check};
    static char words[64 * 1024]; /* a stream into memory could not be told to fail where
                                     it matters */
    struct cca_framework *framework = cca_framework_new(&setup, NULL);
    struct cca_script *script;
    char path[PATH_MAX + 20], classes[PATH_MAX + 20];
    int status, hit;

    memset(words, 0, sizeof words);
    how.words = fmemopen(words, sizeof words, "w");
    how.out = fopen("/dev/null", "w");
    how.load = "ScWorker";
    assert_non_null(framework);
    assert_non_null(how.words);
    assert_non_null(how.out);
    setvbuf(how.words, NULL, _IONBF, 0);
    script = cca_script_new(framework, &how);
    assert_non_null(script);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(classes, sizeof classes, "%s/lib", folder);
    assert_int_equal(cca_script_path(script, classes, NULL), 0);
    assert_int_equal(cca_script_define(script, "NAME", "a value"), 0);
    assert_int_equal(cca_script_define(script, "LIB", classes), 0);
    assert_int_equal(cca_script_override_parameter(script, "w.config.nx=6"), 0);
    assert_int_equal(cca_script_override_class(script, "s=ScSource"), 0);
    failed = 0;
    countdown = number;
    status = cca_script_run(script, path);
    countdown = -1;
    hit = failed;
    cca_script_free(script);
    cca_framework_free(framework);
    fclose(how.out);
    fclose(how.words);
    if (status != CCA_EXIT_DONE && (status != CCA_EXIT_IO_OR_MEMORY || !hit))
        fail_msg("allocation %ld: status %d: %s", number, status, words);
    look_at(words, status, number);
    return hit;
}

/* What components print goes nowhere. */
static void all_of(const char *name, struct cca_script_options how)
{
    int saved, nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    long number = 0;

    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0);
    close(nowhere);
    run(name, how, -1); /* what is loaded once is behind us */
    while (run(name, how, number))
        number++;
    fflush(stdout);
    assert_true(dup2(saved, STDOUT_FILENO) >= 0);
    close(saved);
    print_message("%ld allocations\n", number);
    assert_true(number > 100);
}

TEST(a_script_that_runs)
{
    all_of("script.rc", (struct cca_script_options){.check = 0});
}

TEST(a_script_that_is_checked)
{
    all_of("script.rc", (struct cca_script_options){.check = 1});
}

TEST(a_script_of_ccaffeine)
{
    all_of("old.rc", (struct cca_script_options){.compat = 1});
}

TEST(a_script_of_ccaffeine_that_is_checked)
{
    all_of("old.rc", (struct cca_script_options){.compat = 1, .check = 1});
}

static int set_up(void **state)
{
    static const char *const libraries[] = {"sc_worker.so", "sc_source.so"};
    const char *tree = getenv("O"), *tmp = getenv("TMPDIR");
    char from[PATH_MAX], to[PATH_MAX + 40];

    (void)state;
    snprintf(folder, sizeof folder, "%s/cca_memory_XXXXXX", tmp ? tmp : "/tmp");
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
    write_file("script.rc", plain);
    write_file("other.rc", "parameter w config nx 7\n");
    write_file("old.rc", old);
    write_file("lib/index.cca", "!location=.\nsc_worker.so\ncreate_W Worker\n");
    return 0;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"lib/sc_worker.so", "lib/sc_source.so",
                                        "lib/index.cca",    "script.rc",
                                        "other.rc",         "old.rc"};
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

MEMORY_TESTS(set_up, tear_down)
