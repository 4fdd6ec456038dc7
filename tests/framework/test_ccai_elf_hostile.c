/* SPDX-License-Identifier: BSD-3-Clause */
/* test_ccai_elf_hostile.c: all that `ccafe inspect` reads out of a library, out of
 * libraries that were changed by lot: bits flipped, words replaced by numbers that hurt,
 * parts moved, ends cut off. The first argument or FAULT_ELFS says how many: 3000 over 20
 * libraries, 100,000 in a soak. */
#include "tests/lib/test.h"

#include <dirent.h>
#include <time.h>

#include "framework/class_info.h"
#include "framework/classes/linkage.h"
#include "framework/classes/run_path.h"

/* Parts of the program, not of the library. */
#include "framework/crash/methods.c"

enum { LIBRARIES = 20, ENOUGH = 12, HEADERS = 4096, SLOW_S = 10 };

static int wanted;

/* A library in memory, and a file that holds what the test makes of it. */
struct copy {
    unsigned char *bytes, *changed;
    size_t size;
    int fd;
    char path[300];
};

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

/* --- Libraries ------------------------------------------------------------ */

static int is_library(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".so") == 0;
}

static size_t find_in(const char *folder, char *paths[], size_t count)
{
    const char *tree = getenv("O");
    struct dirent **found;
    char dir[3000];
    int entries;

    snprintf(dir, sizeof dir, "%s/%s", tree ? tree : ".", folder);
    entries = scandir(dir, &found, is_library, alphasort);
    for (int i = 0; i < entries; i++) {
        if (count < LIBRARIES)
            assert_true(asprintf(&paths[count++], "%s/%s", dir, found[i]->d_name) > 0);
        free(found[i]);
    }
    if (entries >= 0)
        free(found);
    return count;
}

static void copy_init(struct copy *copy, const char *from)
{
    const char *tmp = getenv("TMPDIR");
    FILE *file = fopen(from, "rb");

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    copy->size = (size_t)ftell(file);
    rewind(file);
    copy->bytes = malloc(copy->size);
    copy->changed = malloc(copy->size);
    assert_true(copy->bytes && copy->changed);
    assert_int_equal(fread(copy->bytes, 1, copy->size, file), copy->size);
    fclose(file);
    snprintf(copy->path, sizeof copy->path, "%s/cca_XXXXXX", tmp ? tmp : "/tmp");
    copy->fd = mkstemp(copy->path);
    assert_true(copy->fd >= 0);
}

static void copy_done(struct copy *copy)
{
    close(copy->fd);
    unlink(copy->path);
    free(copy->bytes);
    free(copy->changed);
}

/* --- Damage --------------------------------------------------------------- */

/* Anywhere; every other time where headers, symbols and relocations are, or the dynamic
 * section. */
static size_t place(const struct copy *copy, size_t width)
{
    size_t near = copy->size < HEADERS ? copy->size : HEADERS;

    if (random_below(2))
        return random_below(near - width);
    return random_below(copy->size - width);
}

static void replace_words(struct copy *copy)
{
    for (size_t i = 0, n = 1 + random_below(4); i < n; i++) {
        const uint64_t words[] = {0,
                                  1,
                                  2,
                                  UINT64_MAX,
                                  UINT64_MAX - 7,
                                  INT64_MAX,
                                  UINT64_C(1) << 63,
                                  UINT32_MAX,
                                  INT32_MAX,
                                  copy->size,
                                  copy->size - 1,
                                  copy->size + 1,
                                  copy->size / 2,
                                  0x1000,
                                  0xff00,
                                  random_below(UINT64_MAX)};
        size_t width = (size_t)2 << random_below(3), at = place(copy, 16) / width * width;

        memcpy(copy->changed + at, &words[random_below(sizeof words / sizeof *words)],
               width);
    }
}

static void flip_bits(struct copy *copy)
{
    for (size_t i = 0, n = 1 + random_below(16); i < n; i++)
        copy->changed[place(copy, 1)] ^= (unsigned char)(1u << random_below(8));
}

static void move_part(struct copy *copy)
{
    size_t length = 1 + random_below(256), from = place(copy, 256), to = place(copy, 256);

    memmove(copy->changed + to, copy->bytes + from, length);
}

/* The file as it is now; the new size. */
static size_t damage(struct copy *copy)
{
    size_t size = copy->size;

    memcpy(copy->changed, copy->bytes, copy->size);
    switch (random_below(8)) {
    case 0:
        size = random_below(copy->size);
        break;
    case 1:
        move_part(copy);
        break;
    case 2:
    case 3:
        flip_bits(copy);
        break;
    case 4:
        flip_bits(copy);
        replace_words(copy);
        size -= random_below(64);
        break;
    default:
        replace_words(copy);
        break;
    }
    assert_int_equal(pwrite(copy->fd, copy->changed, size, 0), size);
    assert_int_equal(ftruncate(copy->fd, (off_t)size), 0);
    return size;
}

/* --- Reading -------------------------------------------------------------- */

static size_t touched;

static void touch(const char *text)
{
    touched += text ? strlen(text) : 0;
}

static void touch_ports(const struct cca_port_decl *port)
{
    for (; port && port->name; port++) {
        touch(port->name);
        touch(port->type);
    }
}

static void touch_methods(const struct ccafe_methods *methods)
{
    for (size_t i = 0; i < methods->count; i++) {
        touch(methods->items[i].name);
        assert_true(methods->items[i].value_count <= MONITOR_MAX_IN + MONITOR_MAX_OUT);
        for (size_t k = 0; k < methods->items[i].value_count; k++) {
            touch(methods->items[i].values[k].name);
            touch(methods->items[i].values[k].expression);
        }
    }
}

/* What check does with it, for some: what a library needs is read, too, which takes time.
 */
static void rehearse_some(const char *path)
{
    static size_t calls;
    struct cca_linkage *linkage = calls++ % 8 ? NULL : cca_linkage_new();

    if (linkage)
        assert_int_equal(cca_linkage_rehearse(linkage, "it", path, 0), 0);
    for (size_t i = 0; linkage && cca_linkage_finding(linkage, i); i++)
        touch(cca_linkage_finding(linkage, i));
    cca_linkage_free(linkage);
}

/* What inspect does with a file. 1 where there was a class or a table. */
static int read_all(const char *path)
{
    struct cca_error err = {0};
    struct cca_class_info *info = cca_class_info_read(path, &err);
    struct cca_run_path run_path;
    struct ccafe_methods methods;
    int found = info != NULL;

    assert_true(info || (err.code < 0 && *err.text));
    if (info) {
        touch(info->cls.name);
        touch(info->cls.summary);
        touch(info->cls.proxy_for);
        touch_ports(info->cls.provides);
        touch_ports(info->cls.uses);
    }
    cca_run_path_read(&run_path, path);
    for (size_t i = 0; i < run_path.count; i++)
        touch(run_path.items[i].dir);
    cca_run_path_done(&run_path);
    if (ccafe_methods_read(&methods, path,
                           info && info->cls.proxy_for ? info->cls.proxy_for : "") == 0)
        touch_methods(&methods);
    ccafe_methods_done(&methods);
    if (ccafe_functions_read(&methods, path) == 0)
        found = 1;
    touch_methods(&methods);
    ccafe_methods_done(&methods);
    if (ccafe_table_read(&methods, path, 0) == 0)
        touch_methods(&methods);
    ccafe_methods_done(&methods);
    cca_class_info_free(info);
    rehearse_some(path);
    return found;
}

TEST(hostile_libraries_do_no_harm)
{
    char *paths[LIBRARIES];
    size_t count =
        find_in("tests/components", paths, find_in("lib/mastermind", paths, 0));
    size_t read = 0, tried = 0;
    double slowest = 0;

    assert_true(count >= ENOUGH);
    for (size_t i = 0; i < count; i++) {
        struct copy copy;

        copy_init(&copy, paths[i]);
        for (int k = 0; k < wanted / (int)count; k++, tried++) {
            struct timespec start, end;
            double took;

            damage(&copy);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
            read += (size_t)read_all(copy.path);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
            took = (double)(end.tv_sec - start.tv_sec) +
                   1e-9 * (double)(end.tv_nsec - start.tv_nsec);
            slowest = took > slowest ? took : slowest;
        }
        copy_done(&copy);
        free(paths[i]);
    }
    printf("%zu changes of %zu libraries: %zu had a class or a table all the same; the "
           "slowest read "
           "took %.3f s\n",
           tried, count, read, slowest);
    assert_true(read > tried / 20 && read < tried && touched > 0);
    assert_true(slowest < SLOW_S);
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? atoi(argv[1]) : test_count("ELFS", 600, 100000);
    return cmocka_run_group_tests(test_list, NULL, NULL);
}
