/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c: choose and calibrate the recorder's clock. */
#include "mastermind/format/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>

#include "common/clock.h"

/* True if the kernel itself uses the TSC, which it monitors. If the kernel uses another
 * hardware clock, the TSC is
 * unreliable. */
static int kernel_trusts_tsc(void)
{
    static const char path[] = "/sys/devices/system/clocksource/clocksource0/"
                               "current_clocksource";
    static const char *const distrust[] = {"hpet", "acpi_pm", "jiffies",
                                           "refined-jiffies"};
    char name[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    size_t i;

    if (fd < 0)
        return 1;
    n = read(fd, name, sizeof name - 1);
    close(fd);
    name[n > 0 ? n : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    for (i = 0; i < sizeof distrust / sizeof *distrust; i++)
        if (!strcmp(name, distrust[i]))
            return 0;
    return 1;
}

static int tsc_usable(void)
{
    unsigned a, b, c, d;
    const char *wish = getenv("MM_CLOCK");

    if (wish && !strcmp(wish, "monotonic"))
        return 0;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || !(d & (1u << 8)))
        return 0;
    return kernel_trusts_tsc();
}
#else
static int tsc_usable(void)
{
    return 0;
}
#endif

/* Read ticks and CLOCK_MONOTONIC at nearly the same time: of several tries, the closest
 * pair is
 * used. */
static void read_pair(int tsc, uint64_t *ticks, int64_t *monotonic_ns)
{
    uint64_t before, after, best = UINT64_MAX;
    int64_t ns;
    int i;

    for (i = 0; i < 16; i++) {
        before = mm_clock_ticks(tsc);
        ns = cca_clock_ns(CLOCK_MONOTONIC);
        after = mm_clock_ticks(tsc);
        if (after - before < best) {
            best = after - before;
            *ticks = tsc ? before + (after - before) / 2 : (uint64_t)ns;
            *monotonic_ns = ns;
        }
    }
}

int mm_clock_check(struct cca_error *err)
{
    const char *wish = getenv("MM_CLOCK");

    return wish && *wish && strcmp(wish, "auto") && strcmp(wish, "monotonic")
               ? cca_error_set(err, -EINVAL,
                               "MM_CLOCK: found '%s', expected auto or monotonic", wish)
               : 0;
}

void mm_clock_begin(struct mm_clock_origin *origin)
{
    origin->tsc = tsc_usable();
    read_pair(origin->tsc, &origin->ticks, &origin->monotonic_ns);
    origin->real_ns = cca_clock_ns(CLOCK_REALTIME) -
                      (cca_clock_ns(CLOCK_MONOTONIC) - origin->monotonic_ns);
}

void mm_clock_calibrate(const struct mm_clock_origin *origin, struct mm_clock *clock)
{
    uint64_t ticks;
    int64_t ns;

    clock->name = origin->tsc ? "tsc" : "CLOCK_MONOTONIC";
    clock->ns_per_tick = 1;
    clock->epoch_ticks = origin->ticks;
    clock->epoch_ns = origin->real_ns;
    if (!origin->tsc)
        return;
    read_pair(1, &ticks, &ns);
    if (ticks > origin->ticks && ns > origin->monotonic_ns)
        clock->ns_per_tick =
            (double)(ns - origin->monotonic_ns) / (double)(ticks - origin->ticks);
}
