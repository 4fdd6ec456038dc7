/* SPDX-License-Identifier: BSD-3-Clause */
/* extreme_read.c DOCUMENT: the calls of extreme.c, whose parameters are not computed by generated code but
 * as the proxy without a compiler does it, from a describe document. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/proxygen/perf/describe.h"
#include "tools/proxygen/perf/expr.h"

static struct pg_port *port;

static void call(size_t number, int i, unsigned u, long l, unsigned long w, short h, signed char c, double d,
                 float f, const long *p, const double *r)
{
    void *const args[] = {&i, &u, &l, &w, &h, &c, &d, &f, &p, &r};
    struct pg_frame frame = {.args = args};
    const struct pg_method *method = &port->methods[number];

    for (size_t k = 0; k < method->value_count; k++) {
        union monitor_value value = pg_value_take(&method->values[k], &frame);
        int is_real = method->values[k].expr->cls == PG_FLOATING;

        if (monitor_value_absent(value, is_real ? MONITOR_DOUBLE : MONITOR_INT64))
            printf("absent ");
        else if (is_real)
            printf("%a ", value.d);
        else
            printf("%" PRId64 " ", value.i);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    static char text[1 << 24];
    struct cca_error err = {0};
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    size_t length = file ? fread(text, 1, sizeof text, file) : 0;

    if (!file || !(port = pg_describe_read(text, length, argv[1], &err))) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    fclose(file);
#include "reads.h"
    pg_port_free(port);
    return 0;
}
