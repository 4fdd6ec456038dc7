/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mmc_files.c: the files that the Mastermind component writes around the rows. The
 * builder is the test's own. */
#include "framework/cca.h"
#include "mastermind/writer/parts.h"
#include "mastermind/format/experiment_path.h"
#include "mastermind/writer/json_file.h"
#include "mastermind/writer/machine.h"
#include "tests/lib/test.h"

#include <math.h>

/* --- A directory of one's own --------------------------------------------- */

static char start_dir[4096], work_dir[4096];

static int enter_directory(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(work_dir, sizeof work_dir, "%s/mmc.XXXXXX", tmp ? tmp : "/tmp");
    return !getcwd(start_dir, sizeof start_dir) || !mkdtemp(work_dir) || chdir(work_dir);
}

static int leave_directory(void **state)
{
    char command[10000];

    (void)state;
    if (chdir(start_dir))
        return -1;
    snprintf(command, sizeof command, "chmod -R u+w '%s'; rm -rf '%s'", work_dir,
             work_dir);
    return system(command);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (!json)
        print_message("%s:%d: %s\n", path, error.line, error.text);
    return json;
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int exists(const char *path)
{
    struct stat about;

    return lstat(path, &about) == 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(absent)";
}

/* --- Strings and files ---------------------------------------------------- */

static void check_text(const char *in, const char *out)
{
    json_t *json = mm_json_text(in);

    assert_non_null(json);
    assert_string_equal(json_string_value(json), out);
    json_decref(json);
}

TEST(good_text_stays_and_bad_bytes_are_replaced)
{
    check_text(NULL, "");
    check_text("flux \"x\" \\ \n", "flux \"x\" \\ \n");
    check_text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
               "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    check_text("caf\xe9", "caf\xef\xbf\xbd");                             /* Latin-1 */
    check_text("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                   /* overlong */
    check_text("\xed\xa0\x80x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx"); /* surrogate */
    check_text("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    check_text("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"); /* cut off */
    check_text("\xff", "\xef\xbf\xbd");
}

TEST(every_two_bytes_make_a_string)
{
    char text[3] = "";

    for (int a = 1; a < 256; a++) {
        for (int b = 1; b < 256; b++) {
            json_t *json;

            text[0] = (char)a;
            text[1] = (char)b;
            json = mm_json_text(text);
            assert_true(json_is_string(json));
            json_decref(json);
        }
    }
}

TEST(a_number_that_json_lacks_is_null)
{
    json_t *json = mm_json_real(NAN);

    assert_true(json_is_null(json));
    json_decref(json);
    json = mm_json_real(.25);
    assert_true(json_real_value(json) == .25);
    json_decref(json);
}

TEST_WITH(a_file_is_replaced_whole, enter_directory, leave_directory)
{
    json_t *json = json_pack("{s:i}", "a", 1);
    struct cca_error err = {0};

    put_file("a.json", "old");
    put_file("a.json.new", "left by a process that died");
    assert_int_equal(mm_json_replace(".", "a.json", json, &err), 0);
    json_decref(json);
    json = load("a.json");
    assert_int_equal(json_integer_value(json_object_get(json, "a")), 1);
    json_decref(json);
    assert_false(exists("a.json.new"));
}

TEST_WITH(a_link_under_the_name_is_not_followed, enter_directory, leave_directory)
{
    struct cca_error err = {0};
    char text[16] = "";
    FILE *file;

    put_file("victim", "precious");
    assert_int_equal(symlink("victim", "a.json"), 0);
    assert_int_equal(symlink("victim", "a.json.new"), 0);
    assert_int_equal(mm_file_replace(".", "a.json", "new", 3, &err), 0);
    file = fopen("victim", "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "precious");
}

TEST_WITH(a_file_that_cannot_be_written_is_named, enter_directory, leave_directory)
{
    struct cca_error err = {0};

    assert_int_equal(mm_file_replace("nowhere", "a.json", "x", 1, &err), -ENOENT);
    assert_string_equal(err.text,
                        "cannot write 'nowhere/a.json': No such file or directory");
    memset(&err, 0, sizeof err);
    /* The new file is made, the rename fails: nothing is left of it. */
    assert_int_equal(mkdir("d", 0777), 0);
    assert_int_equal(mkdir("d/a.json", 0777), 0);
    assert_true(mm_file_replace("d", "a.json", "x", 1, &err) < 0);
    assert_false(exists("d/a.json.new"));
}

/* --- Directory ------------------------------------------------------------ */

static void check_numbered(const char *script, const char *shown)
{
    struct mm_directory directory;
    struct cca_error err = {0};
    char path[5000];

    assert_int_equal(mm_directory_make(&directory, "", script, &err), 0);
    assert_string_equal(directory.shown, shown);
    snprintf(path, sizeof path, "%s/rank-0000", shown);
    assert_true(exists(path));
    assert_int_equal(directory.path[0], '/');
    assert_true(exists(directory.path) && exists(directory.rank_path));
    mm_directory_done(&directory);
}

TEST_WITH(the_script_names_the_directory, enter_directory, leave_directory)
{
    check_numbered("runs/of/shock.rc", "shock-1.mm");
    check_numbered("shock.rc", "shock-2.mm");
    check_numbered("a.b.rc", "a.b-1.mm");
    check_numbered(".rc", ".rc-1.mm");
    check_numbered("plain", "plain-1.mm");
    check_numbered(NULL, "assembly-1.mm");
    check_numbered("", "assembly-2.mm");
    check_numbered("-", "assembly-3.mm");
    check_numbered("/dev/fd/63", "assembly-4.mm");
    check_numbered("/proc/self/fd/11", "assembly-5.mm");
    put_file("x-1.mm", "");
    assert_int_equal(mkdir("x-3.mm", 0777), 0);
    check_numbered("x.rc", "x-2.mm");
    check_numbered("x.rc", "x-4.mm");
}

TEST_WITH(the_name_asked_for_is_made_or_taken_if_empty, enter_directory, leave_directory)
{
    struct mm_directory directory;
    struct cca_error err = {0};

    assert_int_equal(mm_directory_make(&directory, "exp", "shock.rc", &err), 0);
    assert_string_equal(directory.shown, "exp");
    mm_directory_done(&directory);
    assert_true(exists("exp/rank-0000"));
    assert_int_equal(mm_directory_make(&directory, "exp", NULL, &err), -EEXIST);
    assert_string_equal(err.text,
                        "cannot make experiment directory 'exp': it exists and is not "
                        "an empty directory");
    memset(&err, 0, sizeof err);
    assert_int_equal(mkdir("empty", 0777), 0);
    assert_int_equal(mm_directory_make(&directory, "empty", NULL, &err), 0);
    mm_directory_done(&directory);
    put_file("file", "");
    assert_int_equal(mm_directory_make(&directory, "file", NULL, &err), -EEXIST);
    memset(&err, 0, sizeof err);
    assert_int_equal(mm_directory_make(&directory, "no/where", NULL, &err), -ENOENT);
    assert_string_equal(err.text,
                        "cannot make experiment directory 'no/where': No such file or "
                        "directory");
}

/* Where the path of the directory fits and those of its files would not. */
TEST_WITH(a_path_without_room_for_files_is_refused, enter_directory, leave_directory)
{
    struct mm_directory directory;
    struct cca_error err = {0};
    char name[MM_EXPERIMENT_PATH_MOST + 1], start[PATH_MAX];
    size_t length;

    assert_non_null(getcwd(start, sizeof start));
    for (length = strlen(start); length + 252 < MM_EXPERIMENT_PATH_MOST; length += 201) {
        snprintf(name, sizeof name, "%0200d", 0);
        assert_int_equal(mkdir(name, 0777), 0);
        assert_int_equal(chdir(name), 0);
    }
    snprintf(name, sizeof name, "%0*d", (int)(MM_EXPERIMENT_PATH_MOST - length), 0);
    assert_int_equal(mm_directory_make(&directory, name, NULL, &err), -ENAMETOOLONG);
    assert_non_null(
        strstr(err.text, "its full path has 3969 bytes, expected at most 3968"));
    assert_false(exists(name));
    name[strlen(name) - 1] = 0;
    memset(&err, 0, sizeof err);
    assert_int_equal(mm_directory_make(&directory, name, NULL, &err), 0);
    mm_directory_done(&directory);
    assert_int_equal(chdir(start), 0);
}

/* As when a run has recorded nothing. */
TEST_WITH(a_directory_is_removed_with_all_files_of_its_rank, enter_directory,
          leave_directory)
{
    static const char *const names[] = {"rank-0000/methods.json", "rank-0000/mpi.calls",
                                        "rank-0000/messages", "experiment.json"};
    struct mm_directory directory;
    struct cca_error err = {0};
    char path[PATH_MAX];

    assert_int_equal(mm_directory_make(&directory, "exp", "shock.rc", &err), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "exp/%s", names[i]);
        assert_int_equal(close(open(path, O_CREAT | O_WRONLY, 0666)), 0);
    }
    mm_directory_remove(&directory);
    assert_false(exists("exp"));
}

/* --- Machine -------------------------------------------------------------- */

TEST_WITH(caches_are_read_from_the_system, enter_directory, leave_directory)
{
    static const char *const files[][2] = {
        {"c/index0/level", "1\n"},      {"c/index0/type", "Data\n"},
        {"c/index0/size", "32K\n"},     {"c/index1/level", "2\n"},
        {"c/index1/type", "Unified\n"}, {"c/index1/size", "2M\n"},
        {"c/index2/level", "3\n"},      {"c/index2/type", "Unified\n"},
        {"c/index2/size", "odd\n"},     {"c/index3/level", "4\n"},
        {"c/index3/type", "Unified\n"}, {"c/index3/size", "1G\n"},
    };
    json_t *caches;

    assert_int_equal(system("mkdir -p c/index0 c/index1 c/index2 c/index3"), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        put_file(files[i][0], files[i][1]);
    caches = mm_machine_caches("c");
    assert_int_equal(json_array_size(caches), 3);
    assert_string_equal(text_of(json_array_get(caches, 0), "type"), "data");
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(caches, 0), "bytes")), 32768);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(caches, 1), "level")), 2);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(caches, 1), "bytes")), 2097152);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(caches, 2), "bytes")), 1 << 30);
    json_decref(caches);
    caches = mm_machine_caches("nowhere");
    assert_int_equal(json_array_size(caches), 0);
    json_decref(caches);
}

TEST(this_machine_has_a_name_and_cores)
{
    json_t *machine = mm_machine_json();
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    assert_string_equal(text_of(machine, "host"), host);
    assert_true(json_integer_value(json_object_get(machine, "cores")) >= 1);
    assert_true(strlen(text_of(machine, "cpu")) > 0);
    assert_true(json_integer_value(json_object_get(machine, "page_bytes")) >= 4096);
    json_decref(machine);
}

/* --- Methods -------------------------------------------------------------- */

static const struct monitor_label labels[] = {{0, "x"}, {1, "y"}};
static const struct monitor_value_decl values[] = {
    {.name = "axis", .kind = MONITOR_MODE, .labels = labels, .label_count = 2},
    {.name = "Q", .expression = "nx * ny"},
    {.name = "residual", .type = MONITOR_DOUBLE, .kind = MONITOR_OUT},
};
static const struct monitor_method_decl flux_decl = {.instance = "flux",
                                                     .port = "flux",
                                                     .method = "compute",
                                                     .class_name = "EFMFlux",
                                                     .build_id = "9c",
                                                     .port_type = "shock.FluxPort/1",
                                                     .values = values,
                                                     .in_count = 2,
                                                     .out_count = 1};

static json_t *method_at(json_t *file, size_t index)
{
    return json_array_get(json_object_get(file, "methods"), index);
}

TEST_WITH(methods_are_listed_as_they_come, enter_directory, leave_directory)
{
    struct mm_methods methods = {0};
    struct monitor_method_decl other = {.instance = "caf\xe9",
                                        .port = "p\"q",
                                        .method = "m",
                                        .class_name = "C",
                                        .build_id = "",
                                        .port_type = "t/1"};
    struct cca_error err = {0};
    json_t *file, *method, *value;

    assert_int_equal(mm_methods_start(&methods, ".", &err), 0);
    file = load("methods.json");
    assert_int_equal(json_integer_value(json_object_get(file, "format")), 1);
    assert_int_equal(json_array_size(json_object_get(file, "methods")), 0);
    json_decref(file);
    assert_int_equal(mm_methods_add(&methods, ".", 0, MM_ENTRY_PROXY, &flux_decl, &err),
                     0);
    assert_int_equal(mm_methods_add(&methods, ".", 1, MM_ENTRY_REGION, &other, &err), 0);
    file = load("methods.json");
    assert_int_equal(json_array_size(json_object_get(file, "methods")), 2);
    method = method_at(file, 0);
    assert_int_equal(json_integer_value(json_object_get(method, "id")), 0);
    assert_string_equal(text_of(method, "class"), "EFMFlux");
    assert_string_equal(text_of(method, "port_type"), "shock.FluxPort/1");
    value = json_array_get(json_object_get(method, "values"), 0);
    assert_string_equal(text_of(value, "kind"), "mode");
    assert_string_equal(
        text_of(json_array_get(json_object_get(value, "labels"), 1), "text"), "y");
    value = json_array_get(json_object_get(method, "values"), 1);
    assert_string_equal(text_of(value, "expression"), "nx * ny");
    assert_string_equal(text_of(value, "type"), "int64");
    value = json_array_get(json_object_get(method, "values"), 2);
    assert_string_equal(text_of(value, "type"), "double");
    assert_string_equal(text_of(value, "kind"), "out");
    assert_string_equal(text_of(method_at(file, 1), "instance"), "caf\xef\xbf\xbd");
    assert_string_equal(text_of(method_at(file, 1), "port"), "p\"q");
    assert_string_equal(text_of(method, "entry"), "proxy");
    assert_string_equal(text_of(method_at(file, 1), "entry"), "region");
    json_decref(file);
    mm_methods_done(&methods);
}

TEST_WITH(a_method_that_cannot_be_written_is_not_listed, enter_directory, leave_directory)
{
    struct mm_methods methods = {0};
    struct cca_error err = {0};
    json_t *file;

    assert_int_equal(mm_methods_start(&methods, ".", &err), 0);
    assert_true(mm_methods_add(&methods, "nowhere", 0, MM_ENTRY_PROXY, &flux_decl, &err) <
                0);
    assert_int_equal(mm_methods_add(&methods, ".", 0, MM_ENTRY_PROXY, &flux_decl, &err),
                     0);
    assert_int_equal(mm_methods_add(&methods, ".", 1, MM_ENTRY_PROXY, &flux_decl, &err),
                     0);
    file = load("methods.json");
    assert_int_equal(json_array_size(json_object_get(file, "methods")), 2);
    json_decref(file);
    mm_methods_done(&methods);
}

/* --- Wiring: a builder with two instances and one connection -------------- */

static const struct cca_param_decl driver_params[] = {
    {.name = "nx", .type = CCA_INT}, {.name = "title", .type = CCA_STRING}, {0}};
static const struct cca_quality efm_quality[] = {
    {"sod_l1_200", .0029, CCA_MAX, "tests/quality sod EFMFlux"},
    {"cells", 10, CCA_SUM, "tests/quality contact EFMFlux"},
    {0}};
static const struct cca_class driver_class = {.name = "ShockDriver",
                                              .params = driver_params};
static const struct cca_class efm_class = {
    .name = "EFMFlux", .summary = "equilibrium", .quality = efm_quality};
static const char *nx_now;
static int empty_assembly;

static int fake_instance(struct builder_port *self, size_t index, int all,
                         struct builder_instance *item)
{
    static const struct builder_instance instances[] = {
        {.name = "driver", .cls = &driver_class, .file = "/lib/D.so", .build_id = "d1"},
        {.name = "flux", .cls = &efm_class, .file = "/lib/E.so", .build_id = "e1"},
    };

    (void)self, (void)all;
    if (empty_assembly || index >= 2)
        return -ENOENT;
    *item = instances[index];
    return 0;
}

static int fake_connection(struct builder_port *self, size_t index,
                           struct builder_connection *item)
{
    (void)self;
    if (empty_assembly || index >= 1)
        return -ENOENT;
    *item = (struct builder_connection){"driver", "flux", "flux", "flux"};
    return 0;
}

static int port_if(int there, const char *set_name, const char *set_type,
                   const char **name, const char **type)
{
    if (!there)
        return -ENOENT;
    *name = set_name;
    *type = set_type;
    return 0;
}

static int fake_provided(struct builder_port *self, const char *instance, size_t index,
                         const char **name, const char **type)
{
    (void)self;
    if (strcmp(instance, "driver") == 0)
        return port_if(index < 1, "go", "gov.cca.ports.GoPort/1", name, type);
    return port_if(index < 1, "flux", "shock.FluxPort/1", name, type);
}

static int fake_used(struct builder_port *self, const char *instance, size_t index,
                     const char **name, const char **type)
{
    (void)self;
    return port_if(strcmp(instance, "driver") == 0 && index < 1, "flux",
                   "shock.FluxPort/1", name, type);
}

static const char *fake_parameter(struct builder_port *self, const char *instance,
                                  const char *name)
{
    (void)self, (void)instance;
    return strcmp(name, "nx") ? "caf\xe9" : nx_now;
}

static int fake_interposed(struct builder_port *self, const char *instance,
                           const char *port)
{
    (void)self, (void)port;
    return strcmp(instance, "flux") == 0;
}

static struct builder_port fake_builder = {
    .base = {BUILDER_PORT_TYPE, sizeof fake_builder},
    .instance = fake_instance,
    .connection = fake_connection,
    .provided_port = fake_provided,
    .used_port = fake_used,
    .parameter = fake_parameter,
    .interposed = fake_interposed,
};

TEST_WITH(the_wiring_is_as_written, enter_directory, leave_directory)
{
    struct mm_wiring_record wiring;
    struct cca_error err = {0};
    json_t *file, *item;

    nx_now = "64";
    assert_int_equal(mm_wiring_init(&wiring), 0);
    assert_int_equal(mm_wiring_snapshot(&wiring, &fake_builder), 0);
    assert_int_equal(json_array_size(wiring.measured), 1);
    assert_string_equal(json_string_value(json_array_get(wiring.measured, 0)),
                        "flux.flux");
    assert_int_equal(mm_wiring_write(&wiring, ".", &err), 0);
    file = load("wiring.json");
    item = json_array_get(json_object_get(file, "instances"), 0);
    assert_string_equal(text_of(item, "name"), "driver");
    assert_string_equal(text_of(item, "class"), "ShockDriver");
    assert_string_equal(text_of(item, "summary"), "");
    assert_string_equal(
        text_of(json_array_get(json_object_get(item, "provides"), 0), "name"), "go");
    item = json_object_get(item, "parameters");
    assert_int_equal(json_array_size(item), 2);
    assert_string_equal(text_of(json_array_get(item, 0), "port"), "config");
    assert_string_equal(text_of(json_array_get(item, 0), "value"), "64");
    assert_string_equal(text_of(json_array_get(item, 1), "value"), "caf\xef\xbf\xbd");
    item = json_array_get(json_object_get(file, "instances"), 1);
    assert_string_equal(text_of(item, "file"), "/lib/E.so");
    assert_string_equal(text_of(item, "build_id"), "e1");
    item = json_object_get(item, "qualities");
    assert_true(json_real_value(json_object_get(json_array_get(item, 0), "value")) ==
                .0029);
    assert_string_equal(text_of(json_array_get(item, 0), "compose"), "max");
    assert_string_equal(text_of(json_array_get(item, 1), "compose"), "sum");
    item = json_array_get(json_object_get(file, "connections"), 0);
    assert_string_equal(text_of(item, "user"), "driver");
    assert_string_equal(text_of(item, "provides"), "flux");
    json_decref(file);
    mm_wiring_done(&wiring);
}

TEST_WITH(each_go_has_the_parameters_of_its_time, enter_directory, leave_directory)
{
    struct mm_wiring_record wiring;
    struct cca_error err = {0};
    json_t *file, *gos;

    assert_int_equal(mm_wiring_init(&wiring), 0);
    nx_now = "64";
    assert_int_equal(mm_wiring_go_begins(&wiring, &fake_builder, "driver", "go"), 0);
    mm_wiring_go_ends(&wiring, "driver", "go", 0);
    nx_now = "128";
    assert_int_equal(mm_wiring_go_begins(&wiring, &fake_builder, "driver", "go"), 0);
    /* a go within it */
    assert_int_equal(mm_wiring_go_begins(&wiring, &fake_builder, "flux", "go"), 0);
    mm_wiring_go_ends(&wiring, "driver", "go", -5);
    mm_wiring_go_ends(&wiring, "nobody", "go", 7);
    assert_int_equal(mm_wiring_write(&wiring, ".", &err), 0);
    file = load("wiring.json");
    gos = json_object_get(file, "gos");
    assert_int_equal(json_array_size(gos), 3);
    assert_string_equal(text_of(json_object_get(json_array_get(gos, 0), "parameters"),
                                "driver.config.nx"),
                        "64");
    assert_string_equal(text_of(json_object_get(json_array_get(gos, 1), "parameters"),
                                "driver.config.nx"),
                        "128");
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(gos, 0), "result")), 0);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(gos, 1), "result")), -5);
    assert_null(json_object_get(json_array_get(gos, 2), "result"));
    assert_true(json_is_false(json_object_get(json_array_get(gos, 0), "measured")));
    assert_true(json_is_true(json_object_get(json_array_get(gos, 2), "measured")));
    json_decref(file);
    mm_wiring_done(&wiring);
}

TEST(thousands_of_goes_are_written_in_linear_time)
{
    struct mm_wiring_record wiring;
    int written = 0;

    empty_assembly = 1;
    assert_int_equal(mm_wiring_init(&wiring), 0);
    for (int i = 1; i <= 100000; i++) {
        assert_int_equal(mm_wiring_go_begins(&wiring, &fake_builder, "driver", "go"), 0);
        mm_wiring_go_ends(&wiring, "driver", "go", 0);
        if (mm_wiring_due(&wiring))
            written++;
        if (i == 256)
            assert_int_equal(written, 256);
    }
    /* ln(100000 / 256) / ln(9 / 8) is 51 */
    assert_in_range(written, 256 + 45, 256 + 60);
    empty_assembly = 0;
    mm_wiring_done(&wiring);
}

/* --- About ---------------------------------------------------------------- */

TEST(the_line_says_what_was_kept)
{
    struct mm_recorder_stats stats = {.rows = 48112, .methods = 9};
    struct mm_cost cost = {.calls_ns = 1000000,
                           .files_ns = 500000,
                           .helper_ns = 400000,
                           .setup_ns = 90000,
                           .mpi_ns = 10000,
                           .process_ns = 18200000000};
    char *line = mm_about_line("shock-1.mm", &stats, &cost);

    assert_string_equal(line, "experiment shock-1.mm: 9 methods, 48,112 rows, 0 dropped; "
                              "measuring cost 0.011 % of 18.2 s CPU");
    free(line);
    stats = (struct mm_recorder_stats){
        .rows = 1, .methods = 1, .dropped = 1234567, .nested = 2};
    cost = (struct mm_cost){.calls_ns = 40, .process_ns = 1234567890000};
    line = mm_about_line("a\x1b[2J", &stats, &cost);
    assert_string_equal(line,
                        "experiment a\\x1b[2J: 1 method, 1 row, 1,234,567 dropped, 2 in "
                        "signal handlers not recorded\n"
                        "experiment a\\x1b[2J: measuring cost < 0.001 % of 1235 s CPU");
    free(line);
    line = mm_about_line("e", &(struct mm_recorder_stats){0}, &(struct mm_cost){0});
    assert_string_equal(line, "experiment e: 0 methods, 0 rows, 0 dropped; measuring "
                              "cost 0 % of 0 s CPU");
    free(line);
}

TEST(the_start_of_a_run_is_described)
{
    json_t *about =
               mm_about_new("runs/caf\xe9.rc", "ccafe x", NULL, &(struct mm_storage){0}),
           *missing;

    assert_string_equal(text_of(about, "schema"), "mastermind/experiment/1");
    assert_string_equal(text_of(about, "script"), "runs/caf\xef\xbf\xbd.rc");
    assert_true(json_is_false(json_object_get(about, "finished")));
    assert_int_equal(strlen(text_of(about, "started")), strlen("2026-01-01T00:00:00Z"));
    assert_true(json_array_size(json_object_get(about, "command")) >= 1);
    assert_non_null(
        strstr(json_string_value(json_array_get(json_object_get(about, "command"), 0)),
               "test_mmc_files"));
    missing = json_object_get(json_object_get(about, "counters"), "missing");
    assert_string_equal(text_of(json_array_get(missing, 1), "name"), "MPI_TIME");
    json_decref(about);
}

TESTS(NULL, NULL)
