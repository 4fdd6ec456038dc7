/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_elements.c: elements of a model as statements in C and MPI. */
#include "activity/walk/forms/mpi_core.h"

void act_mpi_begin_block(struct mpi *p)
{
    fputs(" {\n", p->out);
    p->indent++;
}

static void act_mpi_end_block(struct mpi *p)
{
    p->indent--;
    act_mpi_indent(p);
    fputs("}\n", p->out);
}

static void write_for(const struct mpi *p, const struct act_element *e)
{
    const char *name = act_mpi_name(e->variable->name);

    fprintf(p->out, "for (long %s = ", name);
    act_mpi_expression(p, e->value);
    fprintf(p->out, ", last_%d = ", e->number);
    act_mpi_expression(p, e->last);
    fprintf(p->out, "; %s <= last_%d; %s++)", name, e->number, name);
}

/* Write a parallel loop: OpenMP needs a for loop with the bound in its condition. */
static void write_shared_for(const struct mpi *p, const struct act_element *e)
{
    const char *name = act_mpi_name(e->variable->name);

    fprintf(p->out, "for (long %s = ", name);
    act_mpi_expression(p, e->value);
    fprintf(p->out, "; %s <= last_%d; %s++)", name, e->number, name);
}

/* Write the clauses " copyin(..) firstprivate(..)", so that a thread's assignments are
 * local to it. */
static void write_private(const struct mpi *p, const struct act_activity *a)
{
    const char *comma = " copyin(";

    for (const struct act_variable *v = p->model->globals; v; v = v->next) {
        fprintf(p->out, "%s%s", comma, act_mpi_name(v->name));
        comma = ", ";
    }
    fputs(p->model->globals ? ")" : "", p->out);
    comma = " firstprivate(";
    for (const struct act_variable *v = a->locals; v; v = v->next) {
        fprintf(p->out, "%s%s", comma, act_mpi_name(v->name));
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

/* The index of a branch in its fork, from 0. */
static int branch_number(const struct act_model *m, const struct act_element *branch)
{
    for (int i = branch->number - 1; i >= 0; i--) {
        int number = 0;

        if (m->elements[i]->kind != ACT_FORK)
            continue;
        for (const struct act_element *b = m->elements[i]->body; b; b = b->next, number++)
            if (b == branch)
                return number;
    }
    return 0;
}

static void enter_threads(struct mpi *p, const struct act_element *e,
                          const struct act_activity *a)
{
    if (e->variable) {
        act_mpi_begin_block(p);
        act_mpi_indent(p);
        fprintf(p->out, "long last_%d = ", e->number);
        act_mpi_expression(p, e->last);
        fputs(";\n", p->out);
    }
    fputs("#pragma omp parallel num_threads((int)(", p->out);
    if (e->kind == ACT_FORK)
        fprintf(p->out, "%d", branches_of(e));
    else
        act_mpi_expression(p, e->threads);
    fputs("))", p->out);
    write_private(p, a);
    fputc('\n', p->out);
    act_mpi_indent(p);
    fputs("{ /* ", p->out);
    fprintf(p->out, "%s */\n", e->name);
    p->indent++;
    act_mpi_indent(p);
    fputs("tid = omp_get_thread_num();\n", p->out);
    act_mpi_indent(p);
    fputs("nthread = omp_get_num_threads();\n", p->out);
    if (e->kind == ACT_FORK) {
        fputs("#pragma omp sections\n", p->out);
        act_mpi_indent(p);
        fputs("{\n", p->out);
        p->indent++;
    } else if (e->variable) {
        fprintf(p->out, "#pragma omp for schedule(%s",
                e->schedule == ACT_DYNAMIC ? "dynamic" : "static");
        if (e->chunk) {
            fputs(", ", p->out);
            act_mpi_expression(p, e->chunk);
        }
        fputs(")\n", p->out);
        act_mpi_indent(p);
        write_shared_for(p, e);
        act_mpi_begin_block(p);
    }
}

static void leave_threads(struct mpi *p, const struct act_element *e)
{
    if (e->kind == ACT_FORK || e->variable)
        act_mpi_end_block(p);
    act_mpi_end_block(p);
    if (e->kind == ACT_PARALLEL && e->variable)
        act_mpi_end_block(p);
    act_mpi_indent(p);
    fputs("tid = 0;\n", p->out);
    act_mpi_indent(p);
    fputs("nthread = 1;\n", p->out);
}

void act_mpi_enter_element(struct mpi *p, const struct act_node *n)
{
    const struct act_element *e = n->element;

    switch (e->kind) {
    case ACT_LOOP:
        act_mpi_indent(p);
        write_for(p, e);
        act_mpi_begin_block(p);
        break;
    case ACT_WHILE:
        act_mpi_indent(p);
        fputs("while (", p->out);
        act_mpi_guard(p, e->value);
        fputc(')', p->out);
        act_mpi_begin_block(p);
        break;
    case ACT_PARALLEL:
    case ACT_FORK:
        act_mpi_indent(p);
        fprintf(p->out, "/* %s */", e->name);
        if (!e->variable)
            fputc('\n', p->out);
        enter_threads(p, e, n->activity);
        break;
    case ACT_BRANCH:
        fputs("#pragma omp section\n", p->out);
        act_mpi_indent(p);
        fputs("{\n", p->out);
        p->indent++;
        act_mpi_indent(p);
        fprintf(p->out, "tid = %d;\n", branch_number(p->model, e));
        break;
    case ACT_CRITICAL:
        fprintf(p->out, "#pragma omp critical(%s)\n", e->name);
        act_mpi_indent(p);
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
    act_mpi_expression(p, e->peer);
    fputs(", ", p->out);
    if (is_send) {
        act_mpi_expression_or(p, e->bytes, "0");
        fputs(", ", p->out);
    }
    act_mpi_expression_or(p, e->tag, "0");
    fputs(");", p->out);
}

/* Begin a nonblocking message. A receive needs a buffer for the largest message with its
 * tag, whose size is unknown here: the model's `bytes` of the receive, else 16 MiB. */
static void write_begin(const struct mpi *p, const struct act_element *e)
{
    fprintf(p->out, "begin_message(&%s_messages_%d, %d, ", e->name, e->number,
            e->kind == ACT_ISEND);
    act_mpi_expression_or(p, e->bytes, e->kind == ACT_ISEND ? "0" : "1L << 24");
    fputs(", ", p->out);
    act_mpi_expression(p, e->peer);
    fputs(", ", p->out);
    act_mpi_expression_or(p, e->tag, "0");
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

/* Write an if that tests whether the peer of an exchange exists. */
static void write_peer_guard(const struct mpi *p, const struct act_expr *peer)
{
    act_mpi_indent(p);
    fputs("if (is_process(", p->out);
    act_mpi_expression(p, peer);
    fputs("))\n", p->out);
    act_mpi_indent(p);
    fputs("    ", p->out);
}

/* Start all sends, then receive with MPI_Probe: only senders know the sizes. */
static void write_exchange(struct mpi *p, const struct act_element *e)
{
    fputs("{\n", p->out);
    p->indent++;
    act_mpi_indent(p);
    fputs("struct requests all = {0};\n", p->out);
    for (int i = 0; i < e->peer_count; i++) {
        write_peer_guard(p, e->peers[i]);
        fputs("begin_message(&all, 1, ", p->out);
        act_mpi_expression_or(p, e->bytes, "0");
        fputs(", ", p->out);
        act_mpi_expression(p, e->peers[i]);
        fputs(", ", p->out);
        act_mpi_expression_or(p, e->tag, "0");
        fputs(");\n", p->out);
    }
    for (int i = 0; i < e->peer_count; i++) {
        write_peer_guard(p, e->peers[i]);
        fputs("receive_from(", p->out);
        act_mpi_expression(p, e->peers[i]);
        fputs(", ", p->out);
        act_mpi_expression_or(p, e->tag, "0");
        fputs(");\n", p->out);
    }
    act_mpi_indent(p);
    fputs("wait_for(&all);\n", p->out);
    act_mpi_indent(p);
    fputs("free(all.all);\n", p->out);
    act_mpi_indent(p);
    fputs("free(all.rooms);\n", p->out);
    p->indent--;
    act_mpi_indent(p);
    fputs("}", p->out);
}

static void write_collective(const struct mpi *p, const struct act_element *e)
{
    const struct act_expr *cost = e->cost ? e->cost : e->time;
    static const char *const calls[ACT_KINDS] = {
        [ACT_BCAST] = "MPI_Bcast(room(%b), (int)(%b), MPI_BYTE, (int)(%r), ",
        [ACT_REDUCE] = ("MPI_Reduce(pid == (%r) ? MPI_IN_PLACE : room(2*(%b)), "
                        "room(2*(%b)) + (%b), (int)(%b), MPI_BYTE, MPI_BOR, (int)(%r), "),
        [ACT_ALLREDUCE] =
            "MPI_Allreduce(MPI_IN_PLACE, room(%b), (int)(%b), MPI_BYTE, MPI_BOR, ",
        [ACT_BARRIER] = "MPI_Barrier(",
        [ACT_ALLTOALL] = ("MPI_Alltoall(MPI_IN_PLACE, (int)(%b), MPI_BYTE, "
                          "room(nproc*(%b)), (int)(%b), MPI_BYTE, ")};

    if (e->as == ACT_AS_COST || (cost && e->as != ACT_AS_EXPANDED)) {
        fputs("together(", p->out);
        act_mpi_expression_or(p, cost, "0");
        fputs(");", p->out);
        return;
    }
    if (cost) {
        fputs("spin(", p->out);
        act_mpi_expression(p, cost);
        fputs("); ", p->out);
    }
    for (const char *at = calls[e->kind]; *at; at++) {
        if (*at != '%')
            fputc(*at, p->out);
        else if (*++at == 'b')
            act_mpi_expression_or(p, e->bytes, "0");
        else
            act_mpi_expression_or(p, e->peer, "0");
    }
    fputs("MPI_COMM_WORLD);", p->out);
}

static void write_leaf(struct mpi *p, const struct act_element *e)
{
    const struct act_expr *cost = e->cost ? e->cost : e->time;

    act_mpi_indent(p);
    switch (e->kind) {
    case ACT_ACTION:
        fputs("spin(", p->out);
        act_mpi_expression_or(p, cost, "0");
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

void act_mpi_leave_element(struct mpi *p, const struct act_element *e)
{
    switch (e->kind) {
    case ACT_IF:
    case ACT_DO:
        break;
    case ACT_LOOP:
    case ACT_WHILE:
    case ACT_BRANCH:
    case ACT_CRITICAL:
        act_mpi_end_block(p);
        break;
    case ACT_PARALLEL:
    case ACT_FORK:
        leave_threads(p, e);
        break;
    default:
        write_leaf(p, e);
    }
}
