/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_script.c: the reader of scripts, and the interpreter on bytes that mean
 * nothing. */
#include "tests/lib/test.h"

#include "framework/script/script.h"
#include "framework/script/script_reader.h"

static const char *lookup(void *context, const char *name)
{
    (void)context;
    if (strcmp(name, "NAME") == 0)
        return "a value";
    return strcmp(name, "EMPTY") == 0 ? "" : NULL;
}

/* All statements of a text as "LINE:word|word|" one after the other; an error as "LINE!".
 */
static void read_as(int plain, const char *text, size_t size, char *result, size_t room)
{
    struct cca_script_reader reader;
    struct cca_script_statement statement;
    struct cca_error err = {0};
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    size_t used = 0;
    int got;

    assert_non_null(file);
    cca_script_reader_init(&reader, file, lookup, NULL);
    reader.plain = plain;
    result[0] = '\0';
    while ((got = cca_script_reader_next(&reader, &statement, &err)) != 0) {
        assert_true(got == 1 || got == -EINVAL);
        assert_true(got == 1 || err.text[0]);
        assert_true(statement.line >= 1);
        if (used < room)
            used += (size_t)snprintf(result + used, room - used, "%d%c", statement.line,
                                     got == 1 ? ':' : '!');
        for (size_t i = 0; got == 1 && i < statement.count; i++) {
            assert_true(strlen(statement.words[i]) < CCA_SCRIPT_LONGEST_STATEMENT);
            if (used < room)
                used += (size_t)snprintf(result + used, room - used, "%s|",
                                         statement.words[i]);
        }
        err = (struct cca_error){0};
    }
    cca_script_reader_done(&reader);
    fclose(file);
}

static void read_all(const char *text, size_t size, char *result, size_t room)
{
    read_as(0, text, size, result, room);
}

static void reads_as(const char *text, const char *expected)
{
    char result[4096];

    read_all(text, strlen(text), result, sizeof result);
    assert_string_equal(result, expected);
}

TEST(words_are_split_at_blanks)
{
    reads_as("a b\tc  d\n", "1:a|b|c|d|");
    reads_as("  a \r\n\n  \n b", "1:a|4:b|");
}

TEST(comments_are_passed_over)
{
    reads_as("#!ccaffeine bootstrap file.\n! x\n  // y\n# z\na #b\na# !c //d\n",
             "5:a|6:a#|!c|//d|");
    reads_as("a '#' \"#\" \\# # '\n", "1:a|#|#|\\#|");
    reads_as("a\n#!eof\nb\n", "1:a|");
}

TEST(lines_are_joined_without_a_blank)
{
    reads_as("a \\\n  b\\\n\tc\nd\n", "1:a|bc|4:d|");
    reads_as("a \\  \nb\n", "1:a|b|");
    reads_as("a\\", "1:a|");
    reads_as("# c \\\n still c\nd\n", "3:d|");
}

TEST(quotes_hold_words_together)
{
    reads_as("a 'b  $NAME \\n' c\n", "1:a|b  $NAME \\n|c|");
    reads_as("a \"b\\t\\\"\\\\\\$\\n\"\n", "1:a|b\t\"\\$\n|");
    reads_as("a x'y'\"z\" '' \"\"\n", "1:a|xyz|||");
    reads_as("a 'b\nc\n", "1!2:c|");
    reads_as("a \"b\\q\"\nc\n", "1!2:c|");
}

TEST(variables_are_one_word)
{
    reads_as("a $NAME x${NAME}y \"$NAME.\" '$NAME' $EMPTY\n",
             "1:a|a value|xa valuey|a value.|$NAME||");
    reads_as("$UNKNOWN\nb\n", "1!2:b|");
    reads_as("a $\na ${}\na ${NAME\na $1\nb\n", "1!2!3!4!5:b|");
    reads_as("a b # $UNKNOWN\n# $UNKNOWN\n", "1:a|b|");
}

TEST(long_lines_and_nul_bytes_are_refused)
{
    size_t size = CCA_SCRIPT_LONGEST_LINE + 3;
    char *line = malloc(size + 1), result[4096];

    assert_non_null(line);
    memset(line, 'x', size);
    memcpy(line + size - 2, "\nb", 3);
    read_all(line, size, result, sizeof result);
    assert_string_equal(result, "1!2:b|");
    /* One byte less is a line as any. */
    read_all(line + 1, size - 1, result, sizeof result);
    assert_memory_equal(result, "1:x", 3);
    free(line);
    read_all("a\0b\nc\n", 6, result, sizeof result);
    assert_string_equal(result, "1!2:c|");
}

TEST(ccaffeine_has_no_quotes_or_variables)
{
    static const char text[] =
        "#!ccaffeine\na 'b c' \"d\" $NAME \\n # e\n  # f\n!g\n//h\ni \\\n   "
        "j\nk ; # l\nm ;\n; # n\no ;# p\n";
    char result[4096];

    read_as(1, text, sizeof text - 1, result, sizeof result);
    assert_string_equal(result, "2:a|'b|c'|\"d\"|$NAME|\\n|#|e|6:i|j|8:k|9:m|11:o|;#|p|");
}

static const char *long_lookup(void *context, const char *name)
{
    (void)name;
    return context;
}

TEST(expansion_is_bounded)
{
    char value[1001], line[5 * 2000 + 1] = "";
    struct cca_script_statement statement;
    struct cca_script_reader reader;
    struct cca_error err = {0};
    FILE *file;

    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    for (size_t i = 0; i < 2000; i++)
        memcpy(line + 5 * i, "$NAME", 6);
    file = fmemopen(line, strlen(line), "r");
    assert_non_null(file);
    cca_script_reader_init(&reader, file, long_lookup, value);
    assert_int_equal(cca_script_reader_next(&reader, &statement, &err), -EINVAL);
    assert_non_null(strstr(err.text, "longer than"));
    cca_script_reader_done(&reader);
    fclose(file);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static const char seed_script[] =
    "#!ccaffeine bootstrap file.\n"
    "path list\nrepository list\nrepository get ScWorker # palette\n"
    "instantiate ScWorker worker\ncreate ScSource 'source'\npulldown ScSource\n"
    "connect worker data source data\ndisconnect worker data source data\n"
    "parameter worker config nx 12\nconfigure worker config title \"a $NAME\\n\"\n"
    "parameter worker config ALL\nconnect worker \\\n spare source data\n"
    "insert source data\neject source data\ndisplay\ndisplay component worker\n"
    "connect worker data source data\ngo worker go\nremove worker\nquit 3\n";

/* Random bytes, or the script above with some bytes changed, lost, or doubled. */
static size_t make_fuzz(char *text, size_t room, uint64_t *seed)
{
    size_t size;

    if (next_random(seed) % 4 == 0) {
        size = 1 + next_random(seed) % (room - 1);
        for (size_t i = 0; i < size; i++)
            text[i] = (char)(next_random(seed) % 8
                                 ? " \t\n\\'\"$#{}!/abAZ_09"[next_random(seed) % 19]
                                 : (char)next_random(seed));
        return size;
    }
    size = sizeof seed_script - 1;
    memcpy(text, seed_script, size);
    for (uint64_t edits = 1 + next_random(seed) % 12; edits > 0; edits--) {
        size_t at = next_random(seed) % size;

        switch (next_random(seed) % 3) {
        case 0:
            text[at] = (char)next_random(seed);
            break;
        case 1:
            memmove(text + at, text + at + 1, size - at - 1);
            size--;
            break;
        default:
            if (size < room) {
                memmove(text + at + 1, text + at, size - at);
                size++;
            }
        }
    }
    return size;
}

TEST(no_bytes_crash_the_reader)
{
    uint64_t seed = 2463534242u;
    const int scripts = test_count("SCRIPTS", 20000, 1000000);
    char text[2048], result[256];

    for (int i = 0; i < scripts; i++) {
        size_t size = make_fuzz(text, sizeof text, &seed);

        read_as(i % 4 == 0, text, size, result, sizeof result);
    }
}

/* Check a script file with a dry framework on the test's components. */
static int check_file(const char *path)
{
    const struct cca_framework_options dry = {.dry = 1};
    struct cca_script_options how = {.check = 1};
    struct cca_framework *framework = cca_framework_new(&dry, NULL);
    const char *tree = getenv("O");
    struct cca_script *script;
    char dir[4096];
    int status;

    assert_non_null(framework);
    how.words = fopen("/dev/null", "w");
    assert_non_null(how.words);
    script = cca_script_new(framework, &how);
    assert_non_null(script);
    snprintf(dir, sizeof dir, "%s/tests/components", tree ? tree : ".");
    assert_int_equal(cca_script_path(script, dir, NULL), 0);
    assert_int_equal(cca_script_define(script, "NAME", "value"), 0);
    assert_int_equal(cca_script_define(script, "1NAME", "value"), -EINVAL);
    status = cca_script_run(script, path);
    cca_script_free(script);
    cca_framework_free(framework);
    fclose(how.words);
    return status;
}

TEST(no_bytes_crash_the_interpreter)
{
    const char *tmp = getenv("TMPDIR");
    uint64_t seed = 521288629u;
    char text[2048], path[300];
    int fd, good = 0, scripts = test_count("SCRIPTS", 400, 20000);

    snprintf(path, sizeof path, "%s/cca_script_XXXXXX", tmp ? tmp : "/tmp");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    for (int i = 0; i < scripts; i++) {
        size_t size = make_fuzz(text, sizeof text, &seed);
        int status;

        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, text, size, 0), size);
        status = check_file(path);
        assert_true(status == CCA_EXIT_DONE || status == CCA_EXIT_BAD_INPUT);
        good += status == CCA_EXIT_DONE;
    }
    assert_true(good < scripts);
    close(fd);
    unlink(path);
}

TESTS(NULL, NULL)
