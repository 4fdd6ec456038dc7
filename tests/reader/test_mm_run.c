/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mm_run.c: the parameters of a run come back from experiment.json; older
 * experiments have the classes of their wiring, and what is damaged is refused. */
#include "mastermind/reader/experiment.h"
#include "tests/lib/test.h"

#include <errno.h>
#include <sys/stat.h>

static char place[64];

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", place, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char wiring[] =
    "{\"format\": 1, \"instances\": [{\"name\": \"z\", \"class\": \"Last\"},"
    " {\"name\": \"a\", \"class\": \"First\"}], \"connections\": [], \"gos\": []}";

/* An experiment with these members more in experiment.json. */
static struct mm_experiment *open_with(const char *members, struct cca_error *err)
{
    char about[512];

    snprintf(about, sizeof about, "{\"format\": 1, \"ranks\": 3, \"finished\": false%s}",
             members);
    write_file("experiment.json", about);
    return mm_experiment_open(place, err);
}

TEST(a_run_has_its_parameters)
{
    struct mm_experiment *e =
        open_with(", \"variables\": {\"NY\": \"16\", \"NX\": \"64\"},"
                  " \"set\": {\"driver.config.nx\": \"64\", \"a.config.title\": \"\"},"
                  " \"classes\": {\"flux\": \"EFMFlux\"}",
                  NULL);

    assert_non_null(e);
    assert_true(e->run.is_known);
    assert_int_equal(e->run.ranks, 3);
    assert_int_equal(e->run.variables.count, 2);
    assert_string_equal(e->run.variables.items[0].name, "NX");
    assert_string_equal(e->run.variables.items[0].text, "64");
    assert_string_equal(mm_run_value(&e->run.variables, "NY"), "16");
    assert_int_equal(e->run.set.count, 2);
    assert_string_equal(mm_run_value(&e->run.set, "a.config.title"), "");
    assert_string_equal(mm_run_value(&e->run.set, "driver.config.nx"), "64");
    assert_null(mm_run_value(&e->run.set, "driver.config"));
    assert_int_equal(e->run.classes.count, 1);
    assert_string_equal(mm_run_value(&e->run.classes, "flux"), "EFMFlux");
    mm_experiment_free(e);
}

TEST(an_older_run_has_the_classes_of_its_wiring)
{
    struct mm_experiment *e = open_with("", NULL);

    assert_non_null(e);
    assert_false(e->run.is_known);
    assert_int_equal(e->run.ranks, 3);
    assert_int_equal(e->run.variables.count, 0);
    assert_int_equal(e->run.set.count, 0);
    assert_int_equal(e->run.classes.count, 2);
    assert_string_equal(e->run.classes.items[0].name, "a");
    assert_string_equal(mm_run_value(&e->run.classes, "z"), "Last");
    mm_experiment_free(e);
}

TEST(a_run_of_another_main_program_has_classes_only)
{
    struct mm_experiment *e = open_with(", \"classes\": {\"flux\": \"EFMFlux\"}", NULL);

    assert_non_null(e);
    assert_false(e->run.is_known);
    assert_int_equal(e->run.classes.count, 1);
    mm_experiment_free(e);
    e = open_with(", \"variables\": {}, \"set\": {}, \"classes\": {}", NULL);
    assert_non_null(e);
    assert_true(
        e->run.is_known); /* it was given nothing, and killed before its first go */
    assert_int_equal(e->run.classes.count, 2);
    mm_experiment_free(e);
}

TEST(damaged_parameters_are_refused)
{
    static const char *const members[] = {
        ", \"variables\": []", ", \"variables\": {\"NX\": 64}", ", \"set\": \"x\"",
        ", \"set\": {\"a.b.c\": null}", ", \"classes\": {\"flux\": {}}"};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct cca_error err = {0};

        assert_null(open_with(members[i], &err));
        assert_int_equal(err.code, -EBADMSG);
        assert_non_null(strstr(err.text, "experiment.json: found no good '"));
    }
}

static int make_place(void **state)
{
    char path[128];

    (void)state;
    snprintf(place, sizeof place, "/tmp/mm_run.XXXXXX");
    if (!mkdtemp(place))
        return 1;
    snprintf(path, sizeof path, "%s/rank-0000", place);
    write_file("wiring.json", wiring);
    return mkdir(path, 0700);
}

static int remove_all(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", place);
    return system(command) ? 1 : 0;
}

TESTS(make_place, remove_all)
