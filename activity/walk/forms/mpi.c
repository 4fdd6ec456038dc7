/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.c: a model as a program in C and MPI of the same structure, which spins for the
 * model's costs. It is a skeleton for a real program, and a measured reference for the
 * estimator. Threads are OpenMP's.
 *
 *   costs         CPU time of the thread, times `scale`
 *   messages      with the model's sizes, between the model's processes
 *   collectives   with a cost: all arrive, then all spin for the largest; else MPI's own
 */
#include <errno.h>
#include <string.h>

#include "activity/walk/forms.h"
#include "activity/walk/forms/mpi_core.h"

/* --- Declarations. --- */

static void write_tables(const struct mpi *p)
{
    for (const struct act_table *t = p->model->tables; t; t = t->next) {
        fprintf(p->out, "static const %s %s[] = {", act_mpi_type(t->type),
                act_mpi_prefixed("table", t->name));
        for (int64_t i = 0; i < t->count; i++)
            fprintf(p->out, "%s%s%s", i ? "," : "", i % 8 ? " " : "\n    ", t->texts[i]);
        fputs("};\n", p->out);
    }
}

static void write_functions(const struct mpi *p)
{
    for (const struct act_function *f = p->model->functions; f; f = f->next) {
        const char *comma = "";

        fprintf(p->out, "\nstatic inline %s %s(", act_mpi_type(f->body->type),
                act_mpi_prefixed("cost", f->name));
        for (const struct act_variable *v = f->parameters; v; v = v->next) {
            fprintf(p->out, "%s%s %s", comma, act_mpi_type(v->type),
                    act_mpi_name(v->name));
            comma = ", ";
        }
        fprintf(p->out, "%s)\n{\n", f->parameters ? "" : "void");
        for (const struct act_variable *v = f->parameters; v; v = v->next)
            if (!v->used)
                fprintf(p->out, "    (void)%s;\n", act_mpi_name(v->name));
        fputs("    return ", p->out);
        act_mpi_expression(p, f->body);
        fputs(";\n}\n", p->out);
    }
}

static void write_globals(const struct mpi *p)
{
    const struct act_model *m = p->model;

    fputs(m->has_threads ? "static long tid, nthread = 1;\n#pragma omp "
                           "threadprivate(tid, nthread)\n"
                         : "static const long tid = 0, nthread = 1;\n",
          p->out);
    for (const struct act_variable *v = m->globals; v; v = v->next)
        fprintf(p->out, "static %s %s;\n", act_mpi_type(v->type), act_mpi_name(v->name));
    for (const struct act_variable *v = m->globals; v && m->has_threads; v = v->next)
        fprintf(p->out, "#pragma omp threadprivate(%s)\n", act_mpi_name(v->name));
    write_tables(p);
    for (int i = 0; i < m->element_count; i++)
        if (m->elements[i]->kind == ACT_ISEND || m->elements[i]->kind == ACT_IRECV)
            fprintf(p->out, "static struct requests %s_messages_%d;\n",
                    m->elements[i]->name, i);
}

static void write_prototypes(const struct mpi *p)
{
    fputc('\n', p->out);
    for (const struct act_activity *a = p->model->activities; a; a = a->next)
        if (a->used && a != p->model->main)
            fprintf(p->out, "static void activity_%s(void);\n", a->name);
}

/* --- The walk. --- */

static void declare(const struct mpi *p, const struct act_variable *v)
{
    act_mpi_indent(p);
    fprintf(p->out, "%s %s = ", act_mpi_type(v->type), act_mpi_name(v->name));
    act_mpi_expression_or(p, v->value, "0");
    fputs(";\n", p->out);
    if (!v->used) {
        act_mpi_indent(p);
        fprintf(p->out, "(void)%s;\n", act_mpi_name(v->name));
    }
}

static int enter(void *context, const struct act_node *n, struct cca_error *err)
{
    struct mpi *p = context;

    (void)err;
    switch (n->kind) {
    case ACT_NODE_ACTIVITY:
        if (n->activity->used) {
            fprintf(p->out, "\nstatic void activity_%s(void)\n{\n", n->activity->name);
        } else {
            fprintf(p->out,
                    "\n/* Nobody calls this. */\nstatic inline void "
                    "activity_%s(void)\n{\n",
                    n->activity->name);
        }
        p->indent = 1;
        break;
    case ACT_NODE_LOCAL:
        declare(p, n->variable);
        break;
    case ACT_NODE_STATEMENT:
        act_mpi_indent(p);
        fprintf(p->out, "%s = ", act_mpi_name(n->element->variable->name));
        act_mpi_expression(p, n->element->value);
        fputs(";\n", p->out);
        break;
    case ACT_NODE_BRANCH:
        if (!n->index)
            act_mpi_indent(p);
        fputs(n->guard ? n->index ? " else if (" : "if (" : " else", p->out);
        if (n->guard)
            act_mpi_guard(p, n->guard);
        fputs(n->guard ? ")" : "", p->out);
        act_mpi_begin_block(p);
        break;
    case ACT_NODE_ELEMENT:
        act_mpi_enter_element(p, n);
        break;
    default:
        break;
    }
    return 0;
}

/* End a branch of an if; the next branch begins in the same line. */
static void end_branch(struct mpi *p, const struct act_node *n)
{
    int more = n->guard && (n->element->is_elif || n->element->has_else);

    p->indent--;
    act_mpi_indent(p);
    fputs(more ? "}" : "}\n", p->out);
}

static int leave(void *context, const struct act_node *n, struct cca_error *err)
{
    struct mpi *p = context;

    (void)err;
    switch (n->kind) {
    case ACT_NODE_ACTIVITY:
        p->indent = 0;
        fputs("}\n", p->out);
        break;
    case ACT_NODE_CODE:
        break;
    case ACT_NODE_BRANCH:
        end_branch(p, n);
        break;
    case ACT_NODE_ELEMENT:
        if (n->element->raw)
            fprintf(p->out, "{ %s }\n", n->element->raw);
        act_mpi_leave_element(p, n->element);
        break;
    default:
        break;
    }
    return 0;
}

/* --- The end of the program. --- */

/* Write assignments of all global variables of the model in the order of its text: a
 * later value may depend on an earlier one. */
static void write_settings(const struct mpi *p)
{
    fputs("\n/* Globals have their values, but those of \"NAME=VALUE\". */\n"
          "static int set_globals(int argc, char **argv)\n"
          "{\n"
          "    const char *given;\n"
          "    int known = 1;\n"
          "\n"
          "    if ((given = argument(argc, argv, \"scale\", &known)))\n"
          "        scale = strtod(given, NULL);\n",
          p->out);
    for (const struct act_variable *v = p->model->globals; v; v = v->next) {
        fprintf(p->out, "    %s = ", act_mpi_name(v->name));
        act_mpi_expression_or(p, v->value, "0");
        fprintf(p->out,
                ";\n    if ((given = argument(argc, argv, \"%s\", &known)))\n"
                "        %s = %s(given, NULL%s);\n",
                v->name, act_mpi_name(v->name), v->type == ACT_LONG ? "strtol" : "strtod",
                v->type == ACT_LONG ? ", 10" : "");
    }
    fputs("    if (known == argc)\n"
          "        return 0;\n"
          "    if (pid == 0)\n"
          "        fputs(\"expected scale=S and NAME=VALUE of globals, each once\\n\", "
          "stderr);\n"
          "    return 2;\n"
          "}\n",
          p->out);
}

/* C code that counts the nodes: processes that can share memory are on one node */
static const char count_nodes[] =
    "\n/* How many groups of processes share memory. */\n"
    "static long count_nodes(void)\n"
    "{\n"
    "    long leads, nodes;\n"
    "    MPI_Comm node;\n"
    "    int rank;\n"
    "\n"
    "    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, "
    "&node);\n"
    "    MPI_Comm_rank(node, &rank);\n"
    "    leads = rank == 0;\n"
    "    MPI_Allreduce(&leads, &nodes, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);\n"
    "    MPI_Comm_free(&node);\n"
    "    return nodes;\n"
    "}\n";

static void write_main(const struct mpi *p)
{
    fprintf(p->out,
            "\nint main(int argc, char **argv)\n"
            "{\n"
            "    double begin, lasted;\n"
            "    int rank, size, wrong;\n"
            "\n"
            "    %s\n"
            "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
            "    MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
            "    pid = rank;\n"
            "    nproc = size;\n"
            "%s"
            "    wrong = set_globals(argc, argv);\n"
            "    if (wrong) {\n"
            "        MPI_Finalize();\n"
            "        return wrong;\n"
            "    }\n"
            "    MPI_Barrier(MPI_COMM_WORLD);\n"
            "    begin = MPI_Wtime();\n"
            "    activity_Main();\n"
            "    lasted = (MPI_Wtime() - begin)/scale;\n"
            "    MPI_Allreduce(MPI_IN_PLACE, &lasted, 1, MPI_DOUBLE, MPI_MAX, "
            "MPI_COMM_WORLD);\n"
            "    if (pid == 0)\n"
            "        printf(\"%s P%%ld %%.9g s\\n\", nproc, lasted);\n"
            "    (void)nnode;\n"
            "    (void)tid;\n"
            "    (void)nthread;\n"
            "    return MPI_Finalize();\n"
            "}\n",
            p->model->has_threads ? "MPI_Init_thread(&argc, &argv, "
                                    "MPI_THREAD_FUNNELED, &size);"
                                  : "MPI_Init(&argc, &argv);",
            *p->has_nodes ? "    nnode = count_nodes();\n" : "", p->model->name);
}

int act_form_mpi(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err)
{
    int has_nodes = 0;
    struct mpi p = {.out = out, .model = model, .has_nodes = &has_nodes};
    const struct act_content_handler handler = {&p, enter, leave};
    int rc;

    (void)options;
    if (model->models)
        return cca_error_set(err, -ENOTSUP,
                             "%s:%d:%d: found model(\"%.60s\"), expected costs that a "
                             "program of its own can have",
                             model->file, model->models->place.line,
                             model->models->place.column, model->models->method);
    fprintf(out,
            "/* Model %s as a program that spins for its costs, in CPU time.\n"
            " *\n"
            " *   mpicc -O2%s %s.c -o %s -lm && mpirun -n 4 ./%s scale=0.01\n"
            " *\n"
            " * prints how long it lasted, in seconds of the model. */\n",
            model->name, model->has_threads ? " -fopenmp" : "", model->name, model->name,
            model->name);
    fputs(act_mpi_head, out);
    fputs(model->has_threads ? "#include <omp.h>\n\n" : "\n", out);
    fputs(act_mpi_functions, out);
    fputc('\n', out);
    write_globals(&p);
    write_functions(&p);
    write_prototypes(&p);
    rc = act_form_walk(model, 0, &handler, err);
    if (rc)
        return rc;
    write_settings(&p);
    if (has_nodes)
        fputs(count_nodes, out);
    write_main(&p);
    return 0;
}
