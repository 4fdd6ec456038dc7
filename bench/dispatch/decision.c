/* SPDX-License-Identifier: BSD-3-Clause */
/* decision.c: CPU time of the choice of a target by rules, for random in-values, beside
 * a walk over the same in-values without rules. Both take turns; medians.
 *
 *     cc -O2 -I. bench/dispatch/decision.c -o decision && ./decision */
#include <stdio.h>
#include <time.h>

#include "proxies/proxy_dispatch.h"
#include "common/sort.h"

enum { CALLS = 4096, REPEATS = 200, BATCHES = 31, TARGETS = 4 };

static const struct monitor_value_decl values[] = {{.name = "axis", .kind = MONITOR_MODE},
                                                   {.name = "n"},
                                                   {.name = "h", .type = MONITOR_DOUBLE}};
static const struct proxy_table_method method = {
    .name = "compute", .values = values, .in_count = 3};

struct port {
    struct cca_port base;
    void (*compute)(void);
};

static const struct proxy_table table = {.port_type = "bench.Port/1",
                                         .port_size = sizeof(struct port),
                                         .methods = &method,
                                         .method_count = 1};

static void nothing(void)
{
}

static double cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double price(const struct proxy_dispatch *dispatch, union monitor_value (*in)[3])
{
    double with[BATCHES], without[BATCHES], differences[BATCHES];

    for (int b = 0; b < BATCHES; b++) {
        for (int kind = 0; kind < 2; kind++) {
            const double start = cpu_ns();
            const void *last = NULL;

            for (int r = 0; r < REPEATS; r++)
                for (int i = 0; i < CALLS; i++) {
                    if (kind)
                        last = proxy_choose(dispatch, 0, in[i])->port;
                    else
                        last = in[i];
                    __asm__ volatile("" : : "r"(last) : "memory");
                }
            (kind ? with : without)[b] = (cpu_ns() - start) / ((double)REPEATS * CALLS);
        }
        differences[b] = with[b] - without[b];
    }
    qsort(differences, BATCHES, sizeof *differences, cca_order_double);
    return differences[BATCHES / 2];
}

int main(void)
{
    static union monitor_value in[CALLS][3];
    struct port ports[TARGETS];
    struct dispatch_target targets[TARGETS];
    uint64_t state = 1;

    for (int t = 0; t < TARGETS; t++) {
        ports[t] = (struct port){.compute = nothing};
        targets[t] = (struct dispatch_target){.port = &ports[t].base, .class_name = "C"};
    }
    for (int i = 0; i < CALLS; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        in[i][0].i = (int64_t)(state >> 63);
        in[i][1].i = (int64_t)(state >> 40 & 1023);
        in[i][2].d = (double)(state >> 34 & 63);
    }
    for (size_t count = 1; count <= 16; count *= 2) {
        struct dispatch_rule rules[16];
        struct dispatch_condition conditions[16][2];
        char bounds[16][24];
        struct proxy_dispatch *dispatch;
        int line;

        for (size_t r = 0; r < count; r++) {
            snprintf(bounds[r], sizeof bounds[r], "%zu",
                     1024 * (r / 2 + 1) / (count / 2 + 1));
            conditions[r][0] =
                (struct dispatch_condition){"axis", DISPATCH_EQUAL, r % 2 ? "1" : "0"};
            conditions[r][1] =
                (struct dispatch_condition){"n", DISPATCH_AT_MOST, bounds[r]};
            rules[r] = (struct dispatch_rule){(int)r + 1, "compute", conditions[r], 2,
                                              r % TARGETS};
        }
        dispatch =
            proxy_dispatch_make(&table, targets, TARGETS, rules, count, &line, NULL);
        if (!dispatch)
            return 1;
        printf("  %2zu rules of two conditions, random values: %5.1f ns\n", count,
               price(dispatch, in));
        proxy_dispatch_free(dispatch);
    }
    return 0;
}
