/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_dotcca.c: Ccaffeine's old index files, right ones and any bytes. */
#include "tests/lib/test.h"

#include "framework/classes/dotcca.h"

enum { FUZZ_FILES = 3000, ROOM = 12000 };

static char folder[PATH_MAX];

static void write_file(const char *name, const char *text, size_t size)
{
    char path[PATH_MAX + 40];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
    char path[PATH_MAX + 40];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static void put(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static int set_up(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/cca_dotcca_XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void in_folder(const char *path, const char *name)
{
    assert_memory_equal(path, folder, strlen(folder));
    assert_int_equal(path[strlen(folder)], '/');
    assert_string_equal(path + strlen(folder) + 1, name);
}

TEST(classes_have_library_and_place)
{
    struct cca_dotcca index = {0};
    const struct cca_dotcca_class *class;

    put("one.cca", "# comment\n!date=today\n libA.so \r\n\tcreate_A A\n"
                   "! location=/opt/lib/ \ncreate_B  my.B \nlibC.so\n\ncreate_C C");
    assert_int_equal(cca_dotcca_read(&index, folder), 0);
    assert_int_equal(index.count, 3);
    class = cca_dotcca_find(&index, "A");
    assert_non_null(class);
    assert_string_equal(class->library, "libA.so");
    assert_int_equal(class->line, 4);
    in_folder(class->file, "one.cca");
    in_folder(class->beside, "libA.so");
    assert_null(class->location);
    class = cca_dotcca_find(&index, "my.B");
    assert_non_null(class);
    assert_string_equal(class->library, "libA.so");
    class = cca_dotcca_find(&index, "C");
    assert_non_null(class);
    assert_int_equal(class->line, 9);
    assert_null(cca_dotcca_find(&index, "create_A"));
    assert_null(cca_dotcca_find(&index, ""));
    cca_dotcca_done(&index);
    remove_file("one.cca");
}

TEST(the_first_of_a_name_counts)
{
    struct cca_dotcca index = {0};

    put("b.cca", "second.so\ncreate_X X\nnext.so\ncreate_Y Y\n");
    put("a.cca", "first.so\ncreate_X X\n");
    put(".hidden", "hidden.so\ncreate_H H\n");
    assert_int_equal(cca_dotcca_read(&index, folder), 0);
    assert_int_equal(index.count, 2);
    assert_string_equal(cca_dotcca_find(&index, "X")->library, "first.so");
    put("c.cca", "third.so\ncreate_Z Z\n");
    assert_int_equal(cca_dotcca_read(&index, folder), 0); /* a folder is read once */
    assert_null(cca_dotcca_find(&index, "Z"));
    cca_dotcca_done(&index);
    remove_file("a.cca");
    remove_file("b.cca");
    remove_file("c.cca");
    remove_file(".hidden");
}

TEST(other_files_are_passed_over)
{
    struct cca_dotcca index = {0};
    char *line = malloc(ROOM);

    assert_non_null(line);
    memset(line, 'x', ROOM);
    memcpy(line + ROOM - 11, "\nlib.so\nc D", 11);
    write_file("long.cca", line, ROOM);
    put("empty.cca", "");
    put("xml.cca", "<?xml version=\"1.0\"?>\nlib.so\ncreate_X X\n");
    put("loose.cca", "create_X X\n!location=\n!\n! \n#\n");
    assert_int_equal(cca_dotcca_read(&index, folder), 0);
    assert_int_equal(index.count, 1);
    assert_string_equal(cca_dotcca_find(&index, "D")->library, "lib.so");
    assert_int_equal(index.passed_over_count, 1);
    assert_non_null(strstr(cca_dotcca_passed_over(&index, "xml"), "/xml.cca"));
    assert_non_null(strstr(cca_dotcca_passed_over(&index, "another"), "/xml.cca"));
    assert_int_equal(cca_dotcca_read(&index, "/nowhere/at/all"), 0);
    cca_dotcca_done(&index);
    remove_file("long.cca");
    remove_file("empty.cca");
    remove_file("xml.cca");
    remove_file("loose.cca");
    free(line);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 7;
}

TEST(no_bytes_crash_the_reader)
{
    static const char good[] =
        "# c\n!location=/a/b\nlibA.so\ncreate_A A\nlibB.so\ncreate_B B\n";
    uint64_t seed = 362436069u;
    char *text = malloc(ROOM);
    size_t found = 0;

    assert_non_null(text);
    for (int i = 0; i < FUZZ_FILES; i++) {
        struct cca_dotcca index = {0};
        size_t size = sizeof good - 1;

        memcpy(text, good, size);
        if (next_random(&seed) % 4 == 0) {
            size = 1 + next_random(&seed) % (i % 50 ? 300 : ROOM - 1);
            for (size_t k = 0; k < size; k++)
                text[k] = next_random(&seed) % 4
                              ? "!#<= \n\tlocation"[next_random(&seed) % 15]
                              : (char)next_random(&seed);
        }
        for (uint64_t edits = next_random(&seed) % 6; edits > 0; edits--)
            text[next_random(&seed) % size] = (char)next_random(&seed);
        write_file("fuzz.cca", text, size);
        assert_int_equal(cca_dotcca_read(&index, folder), 0);
        for (size_t k = 0; k < index.count; k++) {
            const struct cca_dotcca_class *class = &index.classes[k];

            assert_true(*class->name && *class->library && class->line > 0);
            in_folder(class->file, "fuzz.cca");
            assert_ptr_equal(cca_dotcca_find(&index, class->name), class);
        }
        found += index.count;
        cca_dotcca_done(&index);
    }
    assert_true(found > FUZZ_FILES / 2);
    remove_file("fuzz.cca");
    free(text);
}

TESTS(set_up, tear_down)
