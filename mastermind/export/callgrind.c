/* SPDX-License-Identifier: BSD-3-Clause */
/* callgrind.c: write the call graph with its times in Callgrind's format. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mastermind/export/formats.h"

static void print_text(FILE *file, const char *text)
{
    for (const char *c = text; *c; c++)
        fputc((unsigned char)*c < 0x20 ? '?' : *c, file);
}

/* Print the class of a method as a file name. In this format a number in parentheses
 * would refer to another name, so a blank is put before a parenthesis. */
static void print_class(FILE *file, const char *key, const struct mm_method_info *method)
{
    const char *name = method ? method->class_name : "???";

    fprintf(file, "%s=%s", key, *name == '(' ? " " : "");
    print_text(file, *name ? name : "???");
    fputc('\n', file);
}

/* Print the name of a method on one line. If the name was printed before, only its number
 * in parentheses is printed. */
static void print_name(FILE *file, const char *key, size_t at, const char *name,
                       int *told)
{
    fprintf(file, "%s=(%zu)", key, at + 1);
    if (!told[at]) {
        fputc(' ', file);
        print_text(file, name);
        told[at] = 1;
    }
    fputc('\n', file);
}

static int64_t positive(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

int mm_export_callgrind(FILE *file, const struct mm_export *run)
{
    const struct mm_dual *dual = run->dual;
    int *told = calloc(dual->vertex_count + 1, sizeof *told);
    size_t edge = 0;
    int64_t total = 0;

    if (!told)
        return -ENOMEM;
    fputs("# callgrind format\nversion: 1\ncreator: mastermind\n", file);
    fputs("cmd:", file);
    for (size_t i = 0; i < run->experiment->command_count; i++) {
        fputc(' ', file);
        print_text(file, run->experiment->command[i]);
    }
    fputs("\npositions: line\nevents: ns\n", file);
    for (size_t i = 0; i < dual->vertex_count; i++)
        total += dual->vertices[i].method ? positive(dual->vertices[i].exclusive_ns) : 0;
    fprintf(file, "summary: %" PRId64 "\n", total);
    for (size_t i = 0; i < dual->vertex_count; i++) {
        const struct mm_vertex *vertex = &dual->vertices[i];
        size_t first = edge;

        while (edge < dual->edge_count && dual->edges[edge].caller == i)
            edge++;
        if (!vertex->calls && edge == first)
            continue;
        fputc('\n', file);
        print_class(file, "fl", vertex->method);
        print_name(file, "fn", i, vertex->name, told);
        fprintf(file, "0 %" PRId64 "\n",
                vertex->method ? positive(vertex->exclusive_ns) : 0);
        for (size_t e = first; e < edge; e++) {
            const struct mm_vertex *callee = &dual->vertices[dual->edges[e].callee];

            print_class(file, "cfi", callee->method);
            print_name(file, "cfn", dual->edges[e].callee, callee->name, told);
            fprintf(file, "calls=%" PRIu64 " 0\n0 %" PRId64 "\n", dual->edges[e].calls,
                    positive(dual->edges[e].inclusive_ns));
        }
    }
    fprintf(file, "\ntotals: %" PRId64 "\n", total);
    free(told);
    return 0;
}
