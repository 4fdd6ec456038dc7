/* SPDX-License-Identifier: BSD-3-Clause */
/* test_clang_headers.c: proxygen on real headers that were changed by lot: cut, doubled,
 * spliced with one another, sprinkled with words that hurt. It serves them, or says in
 * one line why not; it never breaks down, leaves nothing half-written, and takes bounded
 * time. The first argument or FAULT_HEADERS says how many: 80, 100,000 in a soak. */
#include "tests/lib/test.h"

#include <dirent.h>
#include <glob.h>
#include <time.h>

/* The program, in this one: clang is loaded once, and each header read in a child. */
int proxygen_main(int argc, char **argv);
#define main proxygen_main
#include "tools/proxygen/proxygen.c"
#undef main

enum { HEADERS_MAX = 200, LONGEST = 120000, GROWN = 2 * LONGEST, SAID_MAX = 600 };

static int wanted;
static char *headers[HEADERS_MAX];
static size_t header_count;
static char dir[300], made[400], output[400], said[400];

static uint64_t state = 88172645463325252u;

static size_t random_below(size_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (size_t)(state % limit) : 0;
}

/* --- Headers -------------------------------------------------------------- */

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, GROWN + 1);

    assert_non_null(text);
    *length = file ? fread(text, 1, GROWN, file) : 0;
    if (file)
        fclose(file);
    return text;
}

static void find_headers(void)
{
    /* clang-format off */
    static const char *const patterns[] = {
        "ports/*.h", "framework/*.h", "proxies/*.h", "tests/golden/*.h",
        "tests/data/*/*.h", "tests/headers/*.h", "bench/*.h", "/usr/include/zlib.h",
        "/usr/include/bzlib.h", "/usr/include/lz4.h", "/usr/include/expat.h",
        "/usr/include/jansson.h", "/usr/include/fftw3.h",
        "/usr/include/x86_64-linux-gnu/ffi.h", "/usr/include/x86_64-linux-gnu/cblas.h",
        "/usr/include/lzma/*.h", "/usr/include/zstd.h", "/usr/include/search.h",
        "/usr/include/time.h", "/usr/include/complex.h",
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;

        if (glob(patterns[i], 0, NULL, &found) == 0) {
            for (size_t k = 0; k < found.gl_pathc && header_count < HEADERS_MAX; k++) {
                struct stat stat_of;

                if (stat(found.gl_pathv[k], &stat_of) == 0 && stat_of.st_size > 0 &&
                    stat_of.st_size < LONGEST)
                    headers[header_count++] = strdup(found.gl_pathv[k]);
            }
            globfree(&found);
        }
    }
    assert_true(header_count > 30);
}

/* --- Changes -------------------------------------------------------------- */

/* clang-format off */
static const char *const hurting[] = {
    "int", "*", "(", ")", "{", "}", "[", "]", ";", ",", "...", "(*f)", "struct", "union",
    "enum", "typedef", "const", "volatile", "restrict", "_Atomic", "_Complex double",
    "__int128", "void", "unsigned", "long", "double", "_Bool", "inline", "static",
    "extern", "_Noreturn", "#define int long\n", "#define self\n", "#undef NULL\n",
    "\n#if 0\n", "\n#endif\n", "\n#else\n", "\n#line 7 \"x\\\"y\"\n",
    "\n#pragma pack(1)\n", "\n#pragma GCC poison memcpy\n",
    "\n#pragma GCC visibility push(hidden)\n", "__attribute__((packed))",
    "__attribute__((aligned(4096)))", "__attribute__((vector_size(64)))",
    "__asm__(\"x y\")",
    "__attribute__((annotate(\"cca:perf:Q = nx*ny; system(1)\")))",
    ("__attribute__((annotate(\"cca:mode:0: \\\"}; */ ?\?/\")))"),
    "__attribute__((annotate(\"cca:param\")))", "CCA_PARAM", "CCA_MODE(\"0: a, 1: b\")",
    "CCA_PERF(\"Q = 1\")", "CCA_OUT_PARAM", "CCA_UNMEASURED", "[1L << 40]", "[-1]", "[0]",
    ": 3", "= 7", "(*)(void)", "struct cca_port base;", "union { int a; };",
    "struct { char a[1 << 22]; } by_value", "\\u00f6", "\xc3\xb6", "\xff", "/*", "*/",
    "//", "\\\n", "\"", "'", "9999999999999999999", "__builtin_va_list",
    "_Generic(1, int: 2)", "_Static_assert(0, \"\");", "__typeof__(int (*)[3])",
    "\n#include \"changed.h\"\n", "\n#include <complex.h>\n", "size_t", "NULL",
};
/* clang-format on */

static void insert(char *text, size_t *length, size_t at, const char *what, size_t size)
{
    if (*length + size > GROWN)
        return;
    memmove(text + at + size, text + at, *length - at);
    memcpy(text + at, what, size);
    *length += size;
}

/* A place between two words, most times; where declarations are, every other time. */
static size_t place(const char *text, size_t length)
{
    size_t at =
        random_below(2) ? random_below(length) : length / 2 + random_below(length / 2);

    if (random_below(8))
        while (at < length && !strchr(" \n(),;*", text[at]))
            at++;
    return at;
}

static void change(char *text, size_t *length, const char *other, size_t other_length)
{
    size_t at = place(text, *length), size = 1 + random_below(random_below(4) ? 12 : 300);
    const char *word = hurting[random_below(sizeof hurting / sizeof *hurting)];

    size = size > *length - at ? *length - at : size;
    switch (random_below(8)) {
    case 0: /* cut out */
        memmove(text + at, text + at + size, *length - at - size);
        *length -= size;
        break;
    case 1: { /* doubled */
        char part[512];

        memcpy(part, text + at, size);
        insert(text, length, at, part, size);
        break;
    }
    case 2: /* of another header */
        size = size > other_length ? other_length : size;
        insert(text, length, at, other + random_below(other_length - size), size);
        break;
    case 3: /* a byte */
        if (at < *length)
            text[at] ^= (char)(1 << random_below(8));
        break;
    case 4: /* the end */
        if (random_below(6) == 0)
            *length = at;
        break;
    default:
        insert(text, length, at, word, strlen(word));
        break;
    }
}

static void change_header(const char *from)
{
    size_t length, other_length;
    char *text = read_text(from, &length);
    char *other = read_text(headers[random_below(header_count)], &other_length);
    FILE *file;

    for (size_t i = 0,
                n = random_below(3) ? 1 : 1 + random_below(random_below(3) ? 4 : 12);
         i < n && length > 1; i++)
        change(text, &length, other, other_length);
    file = fopen(made, "w");
    assert_non_null(file);
    fwrite(text, 1, length, file);
    assert_int_equal(fclose(file), 0);
    free(text);
    free(other);
}

/* --- Running -------------------------------------------------------------- */

/* The name of a struct in the header that was changed, for --table; "ops" where there is
 * none. */
static void find_struct(char name[80])
{
    size_t length;
    char *text = read_text(made, &length), *at = text;
    size_t skip = random_below(4);

    snprintf(name, 80, "ops");
    while ((at = strstr(at, "struct ")) != NULL) {
        char found[64];

        at += 7;
        if (sscanf(at, "%60[A-Za-z0-9_]", found) == 1) {
            snprintf(name, 80, "%s", found);
            if (skip-- == 0)
                break;
        }
    }
    free(text);
}

/* proxygen as a child; its exit status. */
static int run_in_child(const char *const *args, int count)
{
    int status;
    pid_t child;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int words = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int nothing = open("/dev/null", O_RDWR);

        if (words < 0 || nothing < 0)
            _exit(99);
        dup2(words, STDERR_FILENO);
        dup2(nothing, STDOUT_FILENO);
        exit(proxygen_main(count, (char **)args));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int clear_output(void)
{
    DIR *files = opendir(output);
    struct dirent *file;
    int count = 0;

    while (files && (file = readdir(files)) != NULL)
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0) {
            unlinkat(dirfd(files), file->d_name, 0);
            count++;
        }
    if (files)
        closedir(files);
    return count;
}

/* Lines that are errors: not those of a proposal, nor of what a pattern leaves out. */
static int error_lines(const char *text)
{
    int count = 0;

    while (*text) {
        const char *end = strchr(text, '\n'), *left = strstr(text, ": left out: ");

        end = end ? end : text + strlen(text);
        count += !(left && left < end) && *text != '#' && *text != ' ' &&
                 strncmp(text, "header ", 7) != 0 && strncmp(text, "function ", 9) != 0 &&
                 strncmp(text, "table ", 6) != 0;
        text = *end ? end + 1 : end;
    }
    return count;
}

static void keep(const char *why, int status, const char *words)
{
    char kept[500];

    snprintf(kept, sizeof kept, "%s/kept.h", dir);
    rename(made, kept);
    fail_msg("%s: exit %d, header kept in %s: %.400s", why, status, kept, words);
}

/* One header in one of the ways; its exit status. */
static int try_one(void)
{
    const char *from = headers[random_below(header_count)];
    char name[80];
    const char *port[] = {"proxygen", "-I", dir, "-o", output, made, NULL};
    const char *describe[] = {"proxygen", "--describe", made, NULL};
    const char *functions[] = {"proxygen", "--interpose", "--functions", "*",
                               "-o",       output,        made,          NULL};
    const char *told[] = {"proxygen",   "--interpose", "--functions", "*",
                          "--describe", made,          NULL};
    const char *table[] = {"proxygen", "--table", name, "-o", output, made, NULL};
    const char *const *const ways[] = {port, describe, functions, told, table};
    static const int counts[] = {6, 3, 7, 6, 6}, writes[] = {1, 0, 1, 0, 1};
    size_t way = strncmp(from, "ports/", 6) == 0 && random_below(3) ? 0 : random_below(5),
           length;
    char *words;
    int status, left;

    change_header(from);
    find_struct(name);
    status = run_in_child(ways[way], counts[way]);
    words = read_text(said, &length);
    left = clear_output();
    for (size_t i = 0; i < length; i++)
        if ((words[i] < 0x20 && words[i] != '\n') || words[i] >= 0x7f)
            keep("raw bytes", status, words);
    if (status == 3 && (error_lines(words) != 1 || left))
        keep(left ? "something is left" : "not one line", status, words);
    else if (status == 0 && (error_lines(words) != 0 || !left != !writes[way]))
        keep("served", status, words);
    else if (status != 0 && status != 3 && !(status == 2 && way == 1))
        keep("broke down", status, words);
    free(words);
    return status;
}

TEST(changed_headers_are_served_or_refused)
{
    size_t served = 0, refused = 0;
    time_t slowest = 0;

    for (int i = 0; i < wanted; i++) {
        time_t start = time(NULL);
        int status = try_one();

        served += status == 0;
        refused += status == 3;
        slowest = time(NULL) - start > slowest ? time(NULL) - start : slowest;
        if (wanted > 5000 && i % 5000 == 4999) {
            printf("%d headers: %zu served, %zu refused\n", i + 1, served, refused);
            fflush(stdout);
        }
    }
    printf("%d changed headers of %zu: %zu served, %zu refused; the slowest took %ld s\n",
           wanted, header_count, served, refused, (long)slowest);
    assert_true(served > 0 && refused > 0);
}

/* What stands for a C compiler: it makes the library that it is asked for, empty. */
static void make_compiler(void)
{
    char path[400];
    FILE *file;

    snprintf(path, sizeof path, "%s/cc", dir);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: > \"$2\"\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("CC", path, 1);
}

static int prepare(void **unused)
{
    const char *tmp = getenv("TMPDIR");

    (void)unused;
    snprintf(dir, sizeof dir, "%s/pg_XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(dir));
    snprintf(made, sizeof made, "%s/changed.h", dir);
    snprintf(output, sizeof output, "%s/out", dir);
    snprintf(said, sizeof said, "%s/said", dir);
    make_compiler();
    find_headers();
    return 0;
}

static int clean(void **unused)
{
    char path[500];

    (void)unused;
    snprintf(path, sizeof path, "%s/cc", dir);
    unlink(path);
    unlink(made);
    unlink(said);
    rmdir(output);
    rmdir(dir);
    for (size_t i = 0; i < header_count; i++)
        free(headers[i]);
    return 0;
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? atoi(argv[1]) : test_count("HEADERS", 16, 100000);
    if (argc > 2)
        state ^= strtoull(argv[2], NULL, 10) << 8;
    return cmocka_run_group_tests(test_list, prepare, clean);
}
