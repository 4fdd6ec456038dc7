/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi.c: a model as a program in C and MPI of the same shape, which spins for the model's
 * costs: a beginning for a program, and a truth for the estimator. Threads are OpenMP's.
 *
 *   costs         CPU time of the thread, times `scale`
 *   messages      of the model's bytes, to and from the model's processes
 *   collectives   with a cost: all arrive, then all spin for the largest; else MPI's own
 */
#include <errno.h>
#include <string.h>

#include "activity/walk/forms.h"

struct mpi {
    FILE *out;
    const struct act_model *model;
    int indent;
};

/* --- What all programs have. --- */

static const char head[] = "#include <math.h>\n"
                           "#include <stdio.h>\n"
                           "#include <stdlib.h>\n"
                           "#include <string.h>\n"
                           "#include <time.h>\n"
                           "\n"
                           "#include <mpi.h>\n";

static const char functions[] =
    "#define lesser(a, b) ((a) < (b) ? (a) : (b))\n"
    "#define larger(a, b) ((a) > (b) ? (a) : (b))\n"
    "#define absolute(a) ((a) < 0 ? -(a) : (a))\n"
    "\n"
    "static long pid, nproc = 1, nnode = 1;\n"
    "static double scale = 1; /* of all costs */\n"
    "static double sink;      /* keeps what is spun */\n"
    "\n"
    "/* CPU time of this thread. */\n"
    "static inline double cpu_time(void)\n"
    "{\n"
    "    struct timespec now;\n"
    "\n"
    "    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);\n"
    "    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;\n"
    "}\n"
    "\n"
    "static inline void spin(double seconds)\n"
    "{\n"
    "    double end = cpu_time() + scale * seconds, x = 1;\n"
    "\n"
    "    while (cpu_time() < end)\n"
    "        for (int i = 0; i < 20; i++)\n"
    "            x = x * 0.999 + 0.001;\n"
    "    sink = x;\n"
    "}\n"
    "\n"
    "/* Room for a message that nobody reads. */\n"
    "static inline char *room(long bytes)\n"
    "{\n"
    "    static char *all;\n"
    "    static long size;\n"
    "\n"
    "    if (bytes > size) {\n"
    "        all = realloc(all, (size_t)bytes);\n"
    "        if (!all)\n"
    "            MPI_Abort(MPI_COMM_WORLD, 5);\n"
    "        memset(all, 0, (size_t)bytes);\n"
    "        size = bytes;\n"
    "    }\n"
    "    return all;\n"
    "}\n"
    "\n"
    "/* Messages under way. */\n"
    "struct requests {\n"
    "    MPI_Request *all;\n"
    "    char **rooms;\n"
    "    int count;\n"
    "};\n"
    "\n"
    "static inline void begin_message(struct requests *r, int is_send, long bytes, long "
    "peer,\n"
    "                                 long tag)\n"
    "{\n"
    "    r->all = realloc(r->all, (size_t)(r->count + 1) * sizeof *r->all);\n"
    "    r->rooms = realloc(r->rooms, (size_t)(r->count + 1) * sizeof *r->rooms);\n"
    "    if (!r->all || !r->rooms || !(r->rooms[r->count] = calloc(1, (size_t)bytes + "
    "1)))\n"
    "        MPI_Abort(MPI_COMM_WORLD, 5);\n"
    "    if (is_send)\n"
    "        MPI_Isend(r->rooms[r->count], (int)bytes, MPI_BYTE, (int)peer, (int)tag,\n"
    "                  MPI_COMM_WORLD, &r->all[r->count]);\n"
    "    else\n"
    "        MPI_Irecv(r->rooms[r->count], (int)bytes, MPI_BYTE, (int)peer, (int)tag,\n"
    "                  MPI_COMM_WORLD, &r->all[r->count]);\n"
    "    r->count++;\n"
    "}\n"
    "\n"
    "static inline void wait_for(struct requests *r)\n"
    "{\n"
    "    MPI_Waitall(r->count, r->all, MPI_STATUSES_IGNORE);\n"
    "    while (r->count)\n"
    "        free(r->rooms[--r->count]);\n"
    "}\n"
    "\n"
    "/* A collective as cost: all arrive, then it lasts the largest of their costs. */\n"
    "static inline void together(double cost)\n"
    "{\n"
    "    MPI_Allreduce(MPI_IN_PLACE, &cost, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);\n"
    "    spin(cost);\n"
    "}\n"
    "\n"
    "static inline void send_to(long peer, long bytes, long tag)\n"
    "{\n"
    "    MPI_Send(room(bytes), (int)bytes, MPI_BYTE, (int)peer, (int)tag, "
    "MPI_COMM_WORLD);\n"
    "}\n"
    "\n"
    "/* Senders alone know how much they send. */\n"
    "static inline void receive_from(long peer, long tag)\n"
    "{\n"
    "    MPI_Status status;\n"
    "    int bytes;\n"
    "\n"
    "    MPI_Probe((int)peer, (int)tag, MPI_COMM_WORLD, &status);\n"
    "    MPI_Get_count(&status, MPI_BYTE, &bytes);\n"
    "    MPI_Recv(room(bytes), bytes, MPI_BYTE, (int)peer, (int)tag, MPI_COMM_WORLD,\n"
    "             MPI_STATUS_IGNORE);\n"
    "}\n";

/* --- Names. --- */

/* Words that a name of the model must not be: of C, of the headers, and ours. */
static int is_taken(const char *name)
{
    static const char *const words[] = {"auto",
                                        "break",
                                        "case",
                                        "char",
                                        "const",
                                        "continue",
                                        "default",
                                        "do",
                                        "double",
                                        "else",
                                        "enum",
                                        "extern",
                                        "float",
                                        "for",
                                        "goto",
                                        "if",
                                        "inline",
                                        "int",
                                        "long",
                                        "register",
                                        "restrict",
                                        "return",
                                        "short",
                                        "signed",
                                        "sizeof",
                                        "static",
                                        "struct",
                                        "switch",
                                        "typedef",
                                        "union",
                                        "unsigned",
                                        "void",
                                        "volatile",
                                        "while",
                                        "main",
                                        "spin",
                                        "room",
                                        "requests",
                                        "together",
                                        "send_to",
                                        "receive_from",
                                        "sink",
                                        "scale",
                                        "lesser",
                                        "larger",
                                        "absolute",
                                        "cpu_time",
                                        "wait_for",
                                        "begin_message",
                                        "exit",
                                        "free",
                                        "time",
                                        "clock",
                                        "signal",
                                        "errno",
                                        "index",
                                        "remove",
                                        "rename",
                                        "random",
                                        "stdout",
                                        "stderr",
                                        "stdin",
                                        "set_globals",
                                        "linux",
                                        "unix",
                                        "abs",
                                        "div",
                                        "y0",
                                        "y1",
                                        "yn",
                                        "j0",
                                        "j1",
                                        "jn",
                                        "gamma",
                                        "log",
                                        "exp",
                                        "pow",
                                        "sqrt",
                                        "floor",
                                        "ceil",
                                        "sin",
                                        "cos",
                                        "tan",
                                        "log2",
                                        "fmin",
                                        "fmax",
                                        "NULL",
                                        "EOF",
                                        "malloc",
                                        "calloc",
                                        "realloc",
                                        "puts",
                                        "printf",
                                        "system",
                                        "rand",
                                        "select",
                                        "round",
                                        "tid",
                                        "nthread",
                                        "tid_"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return 1;
    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "str", 3) == 0 ||
           strncmp(name, "mem", 3) == 0 || strncmp(name, "PMPI_", 5) == 0;
}

/* In a ring of texts: good for the next eight. */
static const char *safe(const char *name)
{
    static _Thread_local char texts[8][300];
    static _Thread_local int at;

    if (!is_taken(name))
        return name;
    at = (at + 1) % 8;
    snprintf(texts[at], sizeof texts[at], "%.290s_", name);
    return texts[at];
}

static const char *math_word(int which)
{
    static const char *const names[ACT_MATHS] = {
        [ACT_MIN] = "lesser",      [ACT_MAX] = "larger", [ACT_FLOOR] = "(long)floor",
        [ACT_CEIL] = "(long)ceil", [ACT_SQRT] = "sqrt",  [ACT_LOG2] = "log2",
        [ACT_LOG] = "log",         [ACT_EXP] = "exp",    [ACT_POW] = "pow",
        [ACT_ABS] = "absolute"};

    return names[which];
}

static const char *word(void *context, const struct act_expr *e)
{
    (void)context;
    switch (e->kind) {
    case ACT_VARIABLE:
        return safe(e->variable->name);
    case ACT_BUILTIN:
        return e->which == ACT_UID ? "(pid*nthread + tid)" : NULL;
    case ACT_CALL_FUNCTION:
        return safe(e->function->name);
    case ACT_CALL_MATH:
        return math_word(e->which);
    case ACT_INDEX:
        return safe(e->table->name);
    default:
        return NULL;
    }
}

static void expression(const struct mpi *p, const struct act_expr *e)
{
    const struct act_expr_words words = {NULL, word, 1};

    act_expr_print_as(e, &words, p->out);
}

static void expression_or(const struct mpi *p, const struct act_expr *e,
                          const char *otherwise)
{
    if (e)
        expression(p, e);
    else
        fputs(otherwise, p->out);
}

static void indent(const struct mpi *p)
{
    for (int i = 0; i < p->indent; i++)
        fputs("    ", p->out);
}

static const char *type_name(enum act_type type)
{
    return type == ACT_LONG ? "long" : "double";
}

/* --- Declarations. --- */

static void write_tables(const struct mpi *p)
{
    for (const struct act_table *t = p->model->tables; t; t = t->next) {
        fprintf(p->out, "static const %s %s[] = {", type_name(t->type), safe(t->name));
        for (int64_t i = 0; i < t->count; i++)
            fprintf(p->out, "%s%s%s", i ? "," : "", i % 8 ? " " : "\n    ", t->texts[i]);
        fputs("};\n", p->out);
    }
}

static void write_functions(const struct mpi *p)
{
    for (const struct act_function *f = p->model->functions; f; f = f->next) {
        const char *comma = "";

        if (!f->used)
            continue;
        fprintf(p->out, "\nstatic double %s(", safe(f->name));
        for (const struct act_variable *v = f->parameters; v; v = v->next) {
            fprintf(p->out, "%s%s %s", comma, type_name(v->type), safe(v->name));
            comma = ", ";
        }
        fprintf(p->out, "%s)\n{\n", f->parameters ? "" : "void");
        for (const struct act_variable *v = f->parameters; v; v = v->next)
            if (!v->used)
                fprintf(p->out, "    (void)%s;\n", safe(v->name));
        fputs("    return ", p->out);
        expression(p, f->body);
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
        fprintf(p->out, "static %s %s = %s;\n", type_name(v->type), safe(v->name),
                v->value ? v->value->text : "0");
    for (const struct act_variable *v = m->globals; v && m->has_threads; v = v->next)
        fprintf(p->out, "#pragma omp threadprivate(%s)\n", safe(v->name));
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

/* --- Elements. --- */

static void begin_block(struct mpi *p)
{
    fputs(" {\n", p->out);
    p->indent++;
}

static void end_block(struct mpi *p)
{
    p->indent--;
    indent(p);
    fputs("}\n", p->out);
}

static void write_for(const struct mpi *p, const struct act_element *e)
{
    const char *name = safe(e->variable->name);

    fprintf(p->out, "for (long %s = ", name);
    expression(p, e->value);
    fprintf(p->out, ", last_%d = ", e->number);
    expression(p, e->last);
    fprintf(p->out, "; %s <= last_%d; %s++)", name, e->number, name);
}

/* A for of OpenMP has its bound in the condition. */
static void write_shared_for(const struct mpi *p, const struct act_element *e)
{
    const char *name = safe(e->variable->name);

    fprintf(p->out, "for (long %s = ", name);
    expression(p, e->value);
    fprintf(p->out, "; %s <= last_%d; %s++)", name, e->number, name);
}

/* " copyin(..) firstprivate(..)": what a thread sets is its own. */
static void write_private(const struct mpi *p, const struct act_activity *a)
{
    const char *comma = " copyin(";

    for (const struct act_variable *v = p->model->globals; v; v = v->next) {
        fprintf(p->out, "%s%s", comma, safe(v->name));
        comma = ", ";
    }
    fputs(p->model->globals ? ")" : "", p->out);
    comma = " firstprivate(";
    for (const struct act_variable *v = a->locals; v; v = v->next) {
        fprintf(p->out, "%s%s", comma, safe(v->name));
        comma = ", ";
    }
    fputs(a->locals ? ")" : "", p->out);
}

static int branches_of(const struct act_element *e)
{
    int count = 0;

    for (const struct act_element *b = e->body; b; b = b->next)
        count++;
    return count;
}

static void enter_threads(struct mpi *p, const struct act_element *e,
                          const struct act_activity *a)
{
    if (e->variable) {
        begin_block(p);
        indent(p);
        fprintf(p->out, "long last_%d = ", e->number);
        expression(p, e->last);
        fputs(";\n", p->out);
    }
    fputs("#pragma omp parallel num_threads((int)(", p->out);
    if (e->kind == ACT_FORK)
        fprintf(p->out, "%d", branches_of(e));
    else
        expression(p, e->threads);
    fputs("))", p->out);
    write_private(p, a);
    fputc('\n', p->out);
    indent(p);
    fputs("{ /* ", p->out);
    fprintf(p->out, "%s */\n", e->name);
    p->indent++;
    indent(p);
    fputs("tid = omp_get_thread_num();\n", p->out);
    indent(p);
    fputs("nthread = omp_get_num_threads();\n", p->out);
    if (e->kind == ACT_FORK) {
        fputs("#pragma omp sections\n", p->out);
        indent(p);
        fputs("{\n", p->out);
        p->indent++;
    } else if (e->variable) {
        fprintf(p->out, "#pragma omp for schedule(%s",
                e->schedule == ACT_DYNAMIC ? "dynamic" : "static");
        if (e->chunk) {
            fputs(", ", p->out);
            expression(p, e->chunk);
        }
        fputs(")\n", p->out);
        indent(p);
        write_shared_for(p, e);
        begin_block(p);
    }
}

static void leave_threads(struct mpi *p, const struct act_element *e)
{
    if (e->kind == ACT_FORK || e->variable)
        end_block(p);
    end_block(p);
    if (e->kind == ACT_PARALLEL && e->variable)
        end_block(p);
    indent(p);
    fputs("tid = 0;\n", p->out);
    indent(p);
    fputs("nthread = 1;\n", p->out);
}

static void enter_element(struct mpi *p, const struct act_node *n)
{
    const struct act_element *e = n->element;

    switch (e->kind) {
    case ACT_LOOP:
        indent(p);
        write_for(p, e);
        begin_block(p);
        break;
    case ACT_WHILE:
        indent(p);
        fputs("while (", p->out);
        expression(p, e->value);
        fputc(')', p->out);
        begin_block(p);
        break;
    case ACT_PARALLEL:
    case ACT_FORK:
        indent(p);
        fprintf(p->out, "/* %s */", e->name);
        if (!e->variable)
            fputc('\n', p->out);
        enter_threads(p, e, n->activity);
        break;
    case ACT_BRANCH:
        fputs("#pragma omp section\n", p->out);
        indent(p);
        fputs("{\n", p->out);
        p->indent++;
        break;
    case ACT_CRITICAL:
        fprintf(p->out, "#pragma omp critical(%s)\n", e->name);
        indent(p);
        fputs("{\n", p->out);
        p->indent++;
        break;
    default:
        break;
    }
}

static void write_message(const struct mpi *p, const struct act_element *e, int is_send)
{
    fputs(is_send ? "send_to(" : "receive_from(", p->out);
    expression(p, e->peer);
    fputs(", ", p->out);
    if (is_send) {
        expression_or(p, e->bytes, "0");
        fputs(", ", p->out);
    }
    expression_or(p, e->tag, "0");
    fputs(");", p->out);
}

/* A receive that does not wait has to have room: as much as any message of the model that
 * is sent with its tag is not known, so the model's `bytes` of it, else 16 MiB. */
static void write_begin(const struct mpi *p, const struct act_element *e)
{
    fprintf(p->out, "begin_message(&%s_messages_%d, %d, ", e->name, e->number,
            e->kind == ACT_ISEND);
    expression_or(p, e->bytes, e->kind == ACT_ISEND ? "0" : "1L << 24");
    fputs(", ", p->out);
    expression(p, e->peer);
    fputs(", ", p->out);
    expression_or(p, e->tag, "0");
    fputs(");", p->out);
}

static void write_wait(const struct mpi *p, const struct act_element *e)
{
    for (int i = 0; i < e->peer_count; i++)
        fprintf(p->out, "%swait_for(&%s_messages_%d);", i ? " " : "", e->waited[i]->name,
                e->waited[i]->number);
    for (int i = 0; i < p->model->element_count && !e->peer_count; i++) {
        const struct act_element *o = p->model->elements[i];

        if (o->kind == ACT_ISEND || o->kind == ACT_IRECV)
            fprintf(p->out, "wait_for(&%s_messages_%d); ", o->name, i);
    }
}

static void write_exchange(struct mpi *p, const struct act_element *e)
{
    fputs("{\n", p->out);
    p->indent++;
    indent(p);
    fputs("struct requests all = {0};\n", p->out);
    for (int i = 0; i < e->peer_count; i++) {
        indent(p);
        fputs("if ((", p->out);
        expression(p, e->peers[i]);
        fputs(") >= 0 && (", p->out);
        expression(p, e->peers[i]);
        fputs(") < nproc)\n", p->out);
        for (int is_send = 0; is_send < 2; is_send++) {
            indent(p);
            fprintf(p->out, "    %sbegin_message(&all, %d, ", is_send ? " " : "{ ",
                    is_send);
            expression_or(p, e->bytes, "0");
            fputs(", ", p->out);
            expression(p, e->peers[i]);
            fputs(", ", p->out);
            expression_or(p, e->tag, "0");
            fputs(is_send ? "); }\n" : ");\n", p->out);
        }
    }
    indent(p);
    fputs("wait_for(&all);\n", p->out);
    indent(p);
    fputs("free(all.all);\n", p->out);
    indent(p);
    fputs("free(all.rooms);\n", p->out);
    p->indent--;
    indent(p);
    fputs("}", p->out);
}

static void write_collective(const struct mpi *p, const struct act_element *e)
{
    const struct act_expr *cost = e->cost ? e->cost : e->time;
    static const char *const calls[ACT_KINDS] = {
        [ACT_BCAST] = "MPI_Bcast(room(%b), (int)(%b), MPI_BYTE, (int)(%r), ",
        [ACT_REDUCE] = "MPI_Reduce(pid == (%r) ? MPI_IN_PLACE : room(2*(%b)), "
                       "room(2*(%b)) + (%b), (int)(%b), MPI_BYTE, MPI_BOR, (int)(%r), ",
        [ACT_ALLREDUCE] =
            "MPI_Allreduce(MPI_IN_PLACE, room(%b), (int)(%b), MPI_BYTE, MPI_BOR, ",
        [ACT_BARRIER] = "MPI_Barrier(",
        [ACT_ALLTOALL] = "MPI_Alltoall(MPI_IN_PLACE, (int)(%b), MPI_BYTE, "
                         "room(nproc*(%b)), (int)(%b), MPI_BYTE, "};

    if (cost && e->as != ACT_AS_EXPANDED) {
        fputs("together(", p->out);
        expression(p, cost);
        fputs(");", p->out);
        return;
    }
    if (cost) {
        fputs("spin(", p->out);
        expression(p, cost);
        fputs("); ", p->out);
    }
    for (const char *at = calls[e->kind]; *at; at++) {
        if (*at != '%')
            fputc(*at, p->out);
        else if (*++at == 'b')
            expression_or(p, e->bytes, "0");
        else
            expression_or(p, e->peer, "0");
    }
    fputs("MPI_COMM_WORLD);", p->out);
}

static void write_leaf(struct mpi *p, const struct act_element *e)
{
    const struct act_expr *cost = e->cost ? e->cost : e->time;

    indent(p);
    switch (e->kind) {
    case ACT_ACTION:
        fputs("spin(", p->out);
        expression_or(p, cost, "0");
        fputs(");", p->out);
        break;
    case ACT_CALL:
        fprintf(p->out, "activity_%s();", e->called);
        break;
    case ACT_SEND:
    case ACT_RECV:
        write_message(p, e, e->kind == ACT_SEND);
        break;
    case ACT_ISEND:
    case ACT_IRECV:
        write_begin(p, e);
        break;
    case ACT_WAIT:
        write_wait(p, e);
        break;
    case ACT_EXCHANGE:
        write_exchange(p, e);
        break;
    default:
        write_collective(p, e);
    }
    if (e->name)
        fprintf(p->out, " /* %s */", e->name);
    fputc('\n', p->out);
}

static void leave_element(struct mpi *p, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_IF:
    case ACT_DO:
        break;
    case ACT_LOOP:
    case ACT_WHILE:
    case ACT_BRANCH:
    case ACT_CRITICAL:
        end_block(p);
        break;
    case ACT_PARALLEL:
    case ACT_FORK:
        leave_threads(p, e);
        break;
    default:
        write_leaf(p, e);
    }
}

/* --- The walk. --- */

static void declare(const struct mpi *p, const struct act_variable *v)
{
    indent(p);
    fprintf(p->out, "%s %s = ", type_name(v->type), safe(v->name));
    expression_or(p, v->value, "0");
    fputs(";\n", p->out);
    if (!v->used) {
        indent(p);
        fprintf(p->out, "(void)%s;\n", safe(v->name));
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
        indent(p);
        fprintf(p->out, "%s = ", safe(n->element->variable->name));
        expression(p, n->element->value);
        fputs(";\n", p->out);
        break;
    case ACT_NODE_BRANCH:
        if (!n->index)
            indent(p);
        fputs(n->guard ? n->index ? " else if (" : "if (" : " else", p->out);
        if (n->guard)
            expression(p, n->guard);
        fputs(n->guard ? ")" : "", p->out);
        begin_block(p);
        break;
    case ACT_NODE_ELEMENT:
        enter_element(p, n);
        break;
    default:
        break;
    }
    return 0;
}

/* Branches of an if go on in the line in which the one before ends. */
static void end_branch(struct mpi *p, const struct act_node *n)
{
    int more = n->guard && (n->element->is_elif || n->element->has_else);

    p->indent--;
    indent(p);
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
        leave_element(p, n->element);
        break;
    default:
        break;
    }
    return 0;
}

/* --- The end of the program. --- */

static void write_settings(const struct mpi *p)
{
    fputs("\n/* \"scale=0.01\", or \"NAME=VALUE\" of a global. */\n"
          "static int set_globals(int argc, char **argv)\n"
          "{\n"
          "    for (int i = 1; i < argc; i++) {\n"
          "        const char *equals = strchr(argv[i], '=');\n"
          "        int length = equals ? (int)(equals - argv[i]) : 0;\n"
          "\n"
          "        if (length == 5 && !strncmp(argv[i], \"scale\", 5))\n"
          "            scale = strtod(equals + 1, NULL);\n",
          p->out);
    for (const struct act_variable *v = p->model->globals; v; v = v->next)
        fprintf(p->out,
                "        else if (length == %d && !strncmp(argv[i], \"%s\", %d))\n"
                "            %s = %s(equals + 1, NULL%s);\n",
                (int)strlen(v->name), v->name, (int)strlen(v->name), safe(v->name),
                v->type == ACT_LONG ? "strtol" : "strtod",
                v->type == ACT_LONG ? ", 10" : "");
    fputs("        else\n"
          "            return fprintf(stderr, \"found '%s', expected scale=S or a "
          "global\\n\", argv[i]);\n"
          "    }\n"
          "    return 0;\n"
          "}\n",
          p->out);
}

static void write_main(const struct mpi *p)
{
    fprintf(p->out,
            "\nint main(int argc, char **argv)\n"
            "{\n"
            "    double begin, lasted;\n"
            "    int rank, size;\n"
            "\n"
            "    %s\n"
            "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
            "    MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
            "    pid = rank;\n"
            "    nproc = size;\n"
            "    if (set_globals(argc, argv))\n"
            "        MPI_Abort(MPI_COMM_WORLD, 2);\n"
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
            p->model->name);
}

int act_form_mpi(const struct act_model *model, const struct act_form_options *options,
                 FILE *out, struct cca_error *err)
{
    struct mpi p = {.out = out, .model = model};
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
    fputs(head, out);
    fputs(model->has_threads ? "#include <omp.h>\n\n" : "\n", out);
    fputs(functions, out);
    fputc('\n', out);
    write_globals(&p);
    write_functions(&p);
    write_prototypes(&p);
    rc = act_form_walk(model, 0, &handler, err);
    if (rc)
        return rc;
    write_settings(&p);
    write_main(&p);
    return 0;
}
