/* SPDX-License-Identifier: BSD-3-Clause */
/* test_code_hostile.c: functions of this program's own file, and of files made of it by
 * chance: bits flipped, words replaced, parts moved, ends cut off. The first argument is
 * the number of files, 300 by default. */
#include "tests/lib/test.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/file.h"
#include "mastermind/library/decode/code.h"

static int wanted = 300;
static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % limit;
}

struct copy {
    unsigned char *bytes;
    size_t size;
    char path[64];
};

static void copy_init(struct copy *copy)
{
    char *text = NULL;
    int fd;

    assert_int_equal(cca_file_read("/proc/self/exe", 1 << 28, &text, &copy->size), 0);
    copy->bytes = (unsigned char *)text;
    snprintf(copy->path, sizeof copy->path, "/tmp/code-hostile-XXXXXX");
    fd = mkstemp(copy->path);
    assert_true(fd >= 0);
    close(fd);
}

static void copy_done(struct copy *copy)
{
    unlink(copy->path);
    free(copy->bytes);
}

/* Results that hold for any file: no address wraps, and moved bytes are bytes of the
 * file. */
static void check(const struct mm_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct mm_code_function *f = &code->functions[i];

        assert_non_null(f->name);
        assert_true(f->refusal < MM_CODE_REFUSALS);
        assert_true(!i || code->functions[i - 1].address < f->address);
        if (f->refusal)
            continue;
        assert_in_range(f->length, MM_CODE_JUMP, MM_CODE_ORIGINAL);
        assert_in_range(f->moved_length, 1, MM_CODE_MOVED);
        assert_true(f->fix_count <= MM_CODE_FIXES);
        assert_true(f->site + f->length <= f->address + f->size);
        for (unsigned k = 0; k < f->fix_count; k++) {
            assert_true(f->fixes[k].size == 4 || f->fixes[k].size == 8);
            assert_true(f->fixes[k].at + f->fixes[k].size <= f->moved_length);
        }
    }
}

static int read_code(const char *path)
{
    struct cca_error err = {0};
    struct mm_code code;
    int status = mm_code_read(&code, path, &err);

    if (status)
        assert_true(err.code == status && *err.text);
    else
        check(&code);
    mm_code_done(&code);
    return status;
}

static void own_functions_are_found(void **unused)
{
    struct cca_error err = {0};
    struct mm_code code;
    int status = mm_code_read(&code, "/proc/self/exe", &err);
    size_t movable = 0;

    (void)unused;
    if (status == -ENOTSUP) {
        mm_code_done(&code);
        skip();
    }
    assert_int_equal(status, 0);
    check(&code);
    for (size_t i = 0; i < code.count; i++)
        movable += !code.functions[i].refusal;
    assert_true(code.has_symbols);
    assert_true(movable > code.count / 2);
    mm_code_done(&code);
}

static void hurt(struct copy *copy, unsigned char *changed, size_t *size)
{
    static const uint64_t numbers[] = {0,          1,        0x7f,       0xff,
                                       0xffff,     1u << 31, 0xffffffff, 1ull << 63,
                                       UINT64_MAX, 8,        0x10000};
    /* Heads, tables of sections and unwind information are small parts of a file. */
    uint64_t places[] = {random_below(1024), random_below(copy->size),
                         copy->size - 1 - random_below(4096),
                         random_below(copy->size / 4)};
    size_t at = places[random_below(4)];

    switch (random_below(5)) {
    case 0:
        changed[at] ^= (unsigned char)(1u << random_below(8));
        break;
    case 1:
        changed[at] = (unsigned char)random_below(256);
        break;
    case 2:
        at &= ~(size_t)7;
        if (at + 8 <= copy->size)
            memcpy(changed + at, &numbers[random_below(11)], 8);
        break;
    case 3: {
        size_t from = random_below(copy->size), count = random_below(256);

        if (from + count <= copy->size && at + count <= copy->size)
            memmove(changed + at, changed + from, count);
        break;
    }
    default:
        if (!random_below(8))
            *size = random_below(copy->size);
    }
}

static void damaged_files_are_read_or_refused(void **unused)
{
    struct copy copy;
    unsigned char *changed;
    int read = 0;

    (void)unused;
    copy_init(&copy);
    changed = malloc(copy.size);
    assert_non_null(changed);
    for (int i = 0; i < wanted; i++) {
        size_t size = copy.size;
        int fd = open(copy.path, O_WRONLY | O_TRUNC | O_CLOEXEC);

        memcpy(changed, copy.bytes, copy.size);
        for (uint64_t k = 1 + random_below(40); k-- > 0;)
            hurt(&copy, changed, &size);
        if (random_below(4) == 0) /* without a symbol table: by unwind information */
            for (size_t at = 0; at + 8 <= size && at < 64; at += 8)
                if (at == 40) /* e_shoff */
                    memset(changed + at, 0, 8);
        assert_int_equal(write(fd, changed, size), size);
        close(fd);
        read += read_code(copy.path) == 0;
    }
    assert_true(wanted < 100 || read > wanted / 20);
    free(changed);
    copy_done(&copy);
}

static void other_files_are_refused(void **unused)
{
    (void)unused;
    assert_int_equal(read_code("/dev/null"), -ENOEXEC);
    assert_int_equal(read_code("/etc/passwd"), -ENOEXEC);
    assert_int_equal(read_code("/"), -ENOEXEC);
    assert_int_equal(read_code("/nowhere"), -ENOENT);
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_functions_are_found),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };

    if (count > 1)
        wanted = atoi(words[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
