/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV files: fields, numbers, columns; what is damaged is named by file and line, and no
 * file crashes the reader. */
#include <math.h>

#include "mastermind/csv/columns.h"
#include "tests/lib/test.h"

static char place[64];

static int make_place(void **state)
{
    int fd;

    (void)state;
    snprintf(place, sizeof place, "/tmp/mm_csv.XXXXXX");
    fd = mkstemp(place);
    return fd < 0 || close(fd);
}

static int remove_place(void **state)
{
    (void)state;
    return unlink(place);
}

static void put(const char *text, size_t size)
{
    FILE *file = fopen(place, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The fields of all lines, "a|b" and a newline each; or the error without the file's
 * name. */
static const char *lines_of(const char *text, size_t size)
{
    static char all[4096];
    struct cca_error err = {0};
    struct mm_csv csv;
    size_t used = 0;
    int result;

    put(text, size);
    result = mm_csv_open(&csv, place, &err);
    while (!result && (result = mm_csv_next(&csv, 0, &err)) == MM_CSV_LINE) {
        for (size_t i = 0; i < csv.column_count; i++) {
            const struct mm_csv_field *f = &csv.fields[i];

            used +=
                (size_t)snprintf(all + used, sizeof all - used, "%s%.*s", i ? "|" : "",
                                 f->length < 99 ? (int)f->length : 99, f->at);
        }
        used += (size_t)snprintf(all + used, sizeof all - used, "\n");
        result = 0;
    }
    all[used] = '\0';
    if (result) {
        assert_int_equal(result, err.code);
        assert_memory_equal(err.text, place, strlen(place));
        snprintf(all, sizeof all, "%s", err.text + strlen(place));
    }
    mm_csv_done(&csv);
    return all;
}

#define LINES(text, wanted) assert_string_equal(lines_of(text, sizeof(text) - 1), wanted)

TEST(fields_are_trimmed_and_quotes_hold_commas_and_quotes)
{
    LINES("a,b\n1,2\n", "1|2\n");
    LINES("a,b\r\n 1\t,\t2 \r\n3,4", "1|2\n3|4\n");
    LINES("\xef\xbb\xbf"
          "a,b\n,\n",
          "|\n");
    LINES("a,b\n\"1,5\" , \"say \"\"hi\"\"\"\n\"\"\"\",\"\"\n", "1,5|say \"hi\"\n\"|\n");
    LINES("# a comment\n\na\n \n  # another\n\"#1\"\n1\n", "#1\n1\n");
    LINES("\"a,b\",\"c\"\"\"\n\"x\",\"y\"\n", "x|y\n");
    LINES("a\n1\"2\n", "1\"2\n");
    LINES("a\n", "");
}

TEST(what_is_damaged_is_named_by_line)
{
    LINES("", ":1: found the end of the file, expected a header line");
    LINES("\n#x\n", ":3: found the end of the file, expected a header line");
    LINES("a,b\n1,2\n\n1\n", ":4: found 1 field, expected 2");
    LINES("a,b\n1,2,3\n", ":2: found more than 2 fields, expected 2");
    LINES("a,b,a\n", ":1: found column 'a' twice, expected names that differ");
    LINES("a,,b\n", ":1: found '' as column 2, expected a name");
    LINES("a\n\"1\n",
          ":2: found a quote that does not end its field, expected '\"' and a "
          "comma or the end of the line");
    LINES("a,b\n\"1\"2,3\n", ":2: found a quote that does not end its field, expected "
                             "'\"' and a comma or the end of the line");
    LINES("a\n1\n\"\"\"\n",
          ":3: found a quote that does not end its field, expected '\"' "
          "and a comma or the end of the line");
}

/* --- Numbers -------------------------------------------------------------- */

static int number(const char *text, double *value)
{
    const struct mm_csv_field field = {text, strlen(text)};

    return mm_csv_number(&field, value);
}

TEST(numbers_are_those_of_strtod)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "+1.5",
                                       ".5",
                                       "5.",
                                       "1e3",
                                       "1E-3",
                                       "1e+22",
                                       "1e23",
                                       "123456789012345",
                                       "1234567890123456",
                                       "9007199254740993",
                                       "18446744073709551615",
                                       "184467440737095516160",
                                       "0.1",
                                       "0.30000000000000004",
                                       "1e308",
                                       "1.7976931348623157e308",
                                       "4.9e-324",
                                       "1e-400",
                                       "000000000000000000000000012.5",
                                       "0.0000000000000000000000001",
                                       "2.2250738585072014e-308",
                                       "1e00000000000000000000000000005"};
    static const char *const bad[] = {
        "",    "+",    "-",     ".",   "e5",       "1e",    "1e+",    "1.5.2",
        "1,5", "0x10", "nan",   "inf", "infinity", "1e309", "-1e999", "1e99999999999",
        "1 2", "--1",  "1_000", "1f",  "\xc2\xbd"};
    unsigned seed = 3;
    double value;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!number(good[i], &value))
            fail_msg("'%s' is no number", good[i]);
        assert_float_equal(value, strtod(good[i], NULL), 0);
        assert_int_equal(signbit(value) != 0, good[i][0] == '-');
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (number(bad[i], &value))
            fail_msg("'%s' is the number %g", bad[i], value);
    for (int i = 0; i < 20000; i++) {
        char text[64];

        snprintf(text, sizeof text, "%d.%0*de%d", rand_r(&seed) % 100000,
                 1 + rand_r(&seed) % 14, rand_r(&seed), rand_r(&seed) % 60 - 30);
        assert_true(number(text, &value));
        if (value != strtod(text, NULL))
            fail_msg("'%s' is %.17g", text, value);
    }
}

TEST(integers_are_exact_up_to_64_bits)
{
    static const struct {
        const char *text;
        int good;
        int64_t value;
    } cases[] = {{"0", 1, 0},
                 {"-17", 1, -17},
                 {"9223372036854775807", 1, INT64_MAX},
                 {"-9223372036854775807", 1, -INT64_MAX},
                 {"-9223372036854775808", 0, 0},
                 {"9223372036854775808", 0, 0},
                 {"99999999999999999999", 0, 0},
                 {"9007199254740993", 1, 9007199254740993},
                 {"1e6", 1, 1000000},
                 {"3.0", 1, 3},
                 {"3.5", 0, 0},
                 {"1e15", 1, 1000000000000000},
                 {"1e16", 0, 0},
                 {"00000000000000000000012", 1, 12},
                 {"", 0, 0},
                 {"x", 0, 0}};
    int64_t value;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mm_csv_field field = {cases[i].text, strlen(cases[i].text)};

        value = 0;
        if (mm_csv_integer(&field, &value) != cases[i].good ||
            (cases[i].good && value != cases[i].value))
            fail_msg("'%s'", cases[i].text);
    }
}

/* --- Columns -------------------------------------------------------------- */

/* Read the columns of a file by their first letters: t time, p parameter, g guess, m
 * mode, n name. */
static int read_columns(struct mm_columns *columns, const char *text, size_t size,
                        struct cca_error *err)
{
    static const char letters[] = "tpgomn"; /* in the order of the roles */
    struct mm_csv csv;
    int result;

    put(text, size);
    memset(columns, 0, sizeof *columns);
    result = mm_csv_open(&csv, place, err);
    for (size_t i = 0; !result && i < csv.column_count; i++) {
        const char *letter = strchr(letters, csv.header[i].at[0]);

        if (letter)
            assert_non_null(mm_columns_add(columns, &csv, i,
                                           (enum mm_column_role)(letter - letters)));
    }
    if (!result)
        result = mm_columns_read(columns, &csv, err);
    mm_csv_done(&csv);
    return result;
}

TEST(columns_find_their_types)
{
    static const char text[] = "t,p1,p2,g1,g2,m1,m2,n,x\n"
                               "1,1,1,5,5,3,3,b,anything\n"
                               "2.5,,2.5,,6,,y,a,\n"
                               "0,-3,,7,z,3,,b,\n";
    struct cca_error err = {0};
    struct mm_columns columns;
    const struct mm_column *c;

    if (read_columns(&columns, text, sizeof text - 1, &err))
        fail_msg("%s", err.text);
    assert_int_equal(columns.row_count, 3);
    assert_int_equal(columns.count, 8);
    c = columns.columns;
    assert_float_equal(c[0].values[1].d, 2.5, 0);
    assert_int_equal(c[1].type, MONITOR_INT64);
    assert_int_equal(c[1].values[1].i, MONITOR_ABSENT);
    assert_int_equal(c[1].values[2].i, -3);
    assert_int_equal(c[2].type, MONITOR_DOUBLE);
    assert_float_equal(c[2].values[0].d, 1, 0);
    assert_int_equal(c[2].values[2].i, MONITOR_ABSENT_BITS);
    assert_int_equal(c[3].left_out, 0);
    assert_int_equal(c[4].left_out, 4);
    assert_string_equal(c[4].found, "z");
    assert_int_equal(c[5].texts, 0);
    assert_int_equal(c[5].values[0].i, 3);
    assert_int_equal(c[5].values[1].i, MONITOR_ABSENT);
    assert_int_equal(c[6].texts, 1);
    assert_string_equal(c[6].names.texts[c[6].values[0].i], "3");
    assert_string_equal(c[6].names.texts[c[6].values[1].i], "y");
    assert_int_equal(c[6].values[2].i, MONITOR_ABSENT);
    assert_string_equal(c[7].names.texts[c[7].values[2].i], "b");
    mm_columns_done(&columns);
}

TEST(wrong_fields_are_refused_with_their_column)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"t\n", ":2: found the end of the file, expected a line with 1 fields"},
        {"t\n-1\n",
         ":2: found '-1' in column 't', expected a time: a number that is not negative"},
        {"t\n1\nnan\n",
         ":3: found 'nan' in column 't', expected a time: a number that is not negative"},
        {"t,p\n1,x\x01y\n", ":2: found 'x\\x01y' in column 'p', expected a number"},
        {"t,n\n1,\n", ":2: found '' in column 'n', expected a name"},
        {"t,p\n1,1111111111111111111111111111111111111111111x\n",
         ":2: found '1111111111111111111111111111111111111111...' in column 'p', "
         "expected a number"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cca_error err = {0};
        struct mm_columns columns;

        assert_int_equal(
            read_columns(&columns, cases[i].text, strlen(cases[i].text), &err), -EBADMSG);
        assert_string_equal(err.text + strlen(place), cases[i].message);
        mm_columns_done(&columns);
    }
}

TEST(a_mode_of_too_many_texts_is_refused)
{
    struct cca_error err = {0};
    struct mm_columns columns;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    fputs("t,m\n", out);
    for (int i = 0; i <= MM_COLUMN_MODES; i++)
        fprintf(out, "1,mode%d\n", i);
    fclose(out);
    assert_int_equal(read_columns(&columns, text, size, &err), -EBADMSG);
    assert_non_null(strstr(err.text, ":10002: found 'mode10000'"));
    mm_columns_done(&columns);
    free(text);
}

/* --- Hostile files -------------------------------------------------------- */

static unsigned dice = 5;

/* A file that was right once, with some bytes changed, doubled, cut or random. */
static size_t spoil(char *text, size_t size, size_t room)
{
    static const char marks[] = "\",\n\r\0#-+.eE09x \t\xef\xff";
    int changes = rand_r(&dice) % 12;

    while (changes-- > 0 && size) {
        size_t at = (size_t)rand_r(&dice) % size, part = (size_t)rand_r(&dice) % 40;

        switch (rand_r(&dice) % 4) {
        case 0:
            text[at] = marks[(size_t)rand_r(&dice) % (sizeof marks - 1)];
            break;
        case 1:
            text[at] = (char)rand_r(&dice);
            break;
        case 2:
            size = at;
            break;
        default:
            part = part < size - at ? part : size - at;
            if (size + part <= room) {
                memmove(text + at + part, text + at, size - at);
                size += part;
            }
        }
    }
    return size;
}

TEST(no_file_crashes_the_reader)
{
    static const char good[] = "t,p one,\"m,1\",g,n,o\n"
                               "1.5e3,17,x,2,flux.a.b,3\n"
                               "# comment\r\n"
                               "2.5,9223372036854775807,\"y \"\"z\"\"\",0.1,flux,\n"
                               "0,,7,,q,1e300\n";
    int count = test_count("SEEDS", 600, 1000000), refused = 0;
    char text[2 * sizeof good];

    for (int i = 0; i < count; i++) {
        struct cca_error err = {0};
        struct mm_columns columns;
        size_t size = sizeof good - 1;

        memcpy(text, good, size);
        size = spoil(text, size, sizeof text);
        if (i % 50 == 0)
            for (size = 0; size < sizeof text; size++)
                text[size] = (char)rand_r(&dice);
        if (read_columns(&columns, text, size, &err)) {
            refused++;
            assert_int_not_equal(err.code, 0);
            assert_null(strchr(err.text, '\n'));
            assert_non_null(strstr(err.text, "found"));
        }
        mm_columns_done(&columns);
    }
    assert_in_range(refused, count / 4, count - count / 100);
}

TEST(a_long_line_and_many_columns_are_read_or_refused)
{
    size_t size = 8 << 20;
    char *text = malloc(size);

    assert_non_null(text);
    memset(text, ',', size);
    assert_non_null(strstr(lines_of(text, size), "found more than 4096 columns"));
    memset(text, '7', size);
    memcpy(text, "a\n\"", 3);
    text[size - 2] = '"';
    text[size - 1] = '\n';
    lines_of(text, size);
    memset(text, '"', size);
    lines_of(text, size);
    free(text);
}

TESTS(make_place, remove_place)
