/* SPDX-License-Identifier: BSD-3-Clause */
/* extreme.c: calls the functions of a generated extreme_interpose.c, which is a part of this program,
 * and prints the parameters that their monitor is given. */
#include "extreme_interpose.c" /* in the directory of the test */

#include <inttypes.h>

/* What a monitor knows a function by. */
struct known {
    struct monitor_method method;
    const struct interpose_function *function;
};

static struct monitor_frame *begin(struct monitor_port *self, struct monitor_method *method,
                                   const union monitor_value *in)
{
    const struct interpose_function *function = ((struct known *)method)->function;

    (void)self;
    for (size_t i = 0; i < function->in_count; i++) {
        const struct monitor_value_decl *decl = &function->values[i];

        if (monitor_value_absent(in[i], decl->type))
            printf("absent ");
        else if (decl->type == MONITOR_DOUBLE)
            printf("%a ", in[i].d);
        else
            printf("%" PRId64 " ", in[i].i);
    }
    putchar('\n');
    return NULL;
}

static void end(struct monitor_port *self, struct monitor_frame *frame, const union monitor_value *out)
{
    (void)self;
    (void)frame;
    (void)out;
}

static struct monitor_port monitor = {.begin = begin, .end = end};

void mm_preload_open(struct interpose_library *library, struct interpose_function *function)
{
    struct known *known = calloc(1, sizeof *known);

    if (!known)
        abort();
    known->method.on = 1;
    known->function = function;
    library->monitor = &monitor;
    function->method = &known->method;
}

static int real(void)
{
    return 0;
}

void *mm_preload_find(const char *symbol)
{
    union {
        int (*call)(void);
        void *address;
    } found = {real};

    (void)symbol;
    return found.address;
}

int main(void)
{
#include "calls.h"
    return 0;
}
