/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_memory.c: every allocation fails once. Each failure is reported, leaves the
 * assembly as it was before the command, and loses nothing (the leak checker of an asan
 * build looks). */
#include "tests/lib/fail_malloc.h"
#include "tests/lib/fw_assembly.h"

/* The commands, one a step. */
static int step(int number)
{
    switch (number) {
    case 0:
        return fw_create("FwSource", "src");
    case 1:
        return fw_create("FwNode", NULL);
    case 2:
        return fw_connect("FwNode0", "in", "src", "out");
    case 3:
        return fw_set("src", "x", "0.3");
    case 4:
        return fw_insert("src", "out");
    case 5:
        return fw_insert("FwNode0", "go");
    case 6:
        return fw_go("FwNode0");
    case 7:
        return fw_eject("src", "out");
    case 8:
        return fw_disconnect("FwNode0", "in", "src", "out");
    case 9:
        return fw_connect("FwNode0", "in", "src", "single");
    case 10:
        return fw_remove("src");
    default:
        return 1;
    }
}

/* What the assembly looks like. */
static void snapshot(size_t look[4])
{
    struct builder_port *builder = cca_framework_builder(fw.framework);

    look[0] = fw_instances(0);
    look[1] = fw_instances(1);
    look[2] = fw_connections();
    look[3] = (size_t)(2 * builder->interposed(builder, "src", "out") +
                       builder->interposed(builder, "FwNode0", "go"));
}

/* Load every class, so that the loader's own allocations are behind us. */
static void warm_up(void)
{
    struct cca_repository *repository = cca_framework_repository(fw.framework);
    const struct cca_class_info *info;

    for (size_t i = 0; (info = cca_repository_class(repository, i)); i++)
        assert_non_null(cca_repository_load(repository, info, 0, fw_err()));
}

/* Run all steps with allocation `number` failing. Returns 0 when there are not so many.
 */
static int run(struct cca_framework_options options, long number)
{
    size_t before[4], after[4];
    int hit = 0;

    fw_begin(options);
    warm_up();
    countdown = number;
    failed = 0;
    for (int i = 0;; i++) {
        long left = countdown;
        int status;

        countdown = -1;
        snapshot(before);
        countdown = left;
        status = step(i);
        left = countdown;
        countdown = -1;
        if (failed) {
            /* A step may do without what it could not get, or fail cleanly and then work.
             */
            hit = 1;
            failed = 0;
            if (status) {
                assert_int_not_equal(fw.err.code, 0);
                snapshot(after);
                assert_memory_equal(before, after, sizeof before);
                fw_done(step(i));
            }
            continue;
        }
        if (status == 1)
            break;
        fw_done(status);
        countdown = left;
    }
    countdown = -1;
    fw_end();
    return hit;
}

TEST(every_failure_is_clean)
{
    long number = 0;

    while (run((struct cca_framework_options){0}, number))
        number++;
    assert_true(number > 100);
}

MEMORY_TESTS(NULL, NULL)
