/* SPDX-License-Identifier: BSD-3-Clause */
/* elements.c: parse the elements of an activity. */
#include <errno.h>

#include "activity/model/parse.h"

/* Clauses that an element may have. */
enum {
    COST = 1,
    CODE = 2,
    BYTES = 4,
    TAG = 8,
    TO = 16,
    FROM = 32,
    ROOT = 64,
    TIME = 128,
    MEMORY = 256,
    METHOD = 512,
    WITH = 1024,
    FOR = 2048,
    AS = 4096,
    ANY = CODE | METHOD /* clauses that every element with a name may have */
};

static const struct {
    const char *name;
    unsigned clauses;
} kinds[ACT_KINDS] = {
    [ACT_ACTION] = {"action", ANY | COST | TIME | MEMORY},
    [ACT_CALL] = {"call", 0},
    [ACT_IF] = {"if", 0},
    [ACT_LOOP] = {"loop", 0},
    [ACT_WHILE] = {"while", 0},
    [ACT_SET] = {"set", 0},
    [ACT_DO] = {"code", 0},
    [ACT_SEND] = {"send", ANY | BYTES | TAG | TO},
    [ACT_RECV] = {"recv", ANY | TAG | FROM},
    [ACT_ISEND] = {"isend", ANY | BYTES | TAG | TO},
    [ACT_IRECV] = {"irecv", ANY | TAG | FROM},
    [ACT_WAIT] = {"wait", ANY | FOR},
    [ACT_EXCHANGE] = {"exchange", ANY | WITH | BYTES | TAG},
    [ACT_BCAST] = {"bcast", ANY | COST | TIME | BYTES | ROOT | AS},
    [ACT_REDUCE] = {"reduce", ANY | COST | TIME | BYTES | ROOT | AS},
    [ACT_ALLREDUCE] = {"allreduce", ANY | COST | TIME | BYTES | AS},
    [ACT_BARRIER] = {"barrier", ANY | COST | TIME | AS},
    [ACT_ALLTOALL] = {"alltoall", ANY | COST | TIME | BYTES | AS},
    [ACT_PARALLEL] = {"parallel", 0},
    [ACT_CRITICAL] = {"critical", 0},
    [ACT_FORK] = {"fork", 0},
    [ACT_BRANCH] = {"branch", 0},
};

const char *act_kind_name(enum act_kind kind)
{
    return kinds[kind].name;
}

static struct act_element *make(struct act_parse *p, enum act_kind kind)
{
    struct act_element *e = act_parse_take(p, sizeof *e);

    if (e) {
        e->kind = kind;
        e->id = -1;
        e->place = p->lex.word.place;
        e->comment = p->lex.word.comment;
        /* the comment belongs to the element, not to the first token inside it */
        p->lex.word.comment = NULL;
        p->inner = p->tail = NULL;
    }
    return e;
}

/* Store the comments of an element whose last token was read. */
static void end(struct act_parse *p, struct act_element *e)
{
    e->tail = p->tail;
    e->comment = act_parse_join(p, e->comment, p->inner);
    p->inner = p->tail = NULL;
}

/* Keep the comments inside an element of which a part was read; otherwise the element
 * inside it would drop them. */
static void keep_comments(struct act_parse *p, struct act_element *e)
{
    e->comment = act_parse_join(p, e->comment, act_parse_join(p, p->inner, p->tail));
    p->inner = p->tail = NULL;
}

/* Read "variable = value;" or an if of such assignments, in do { }. */
static int read_code(struct act_parse *p, struct act_element **first);

static struct act_element *read_set(struct act_parse *p)
{
    const char *name = p->lex.word.text;
    struct act_element *e = make(p, ACT_SET);

    if (!e)
        return NULL;
    e->variable = act_parse_variable(p, name);
    if (!e->variable || e->variable->is_turn) {
        act_lex_refuse(&p->lex,
                       "a variable that was declared before and no loop's, or if");
        return NULL;
    }
    if (act_parse_next(p) || act_parse_expect(p, "=") ||
        !(e->value = act_parse_expression(p)) ||
        (e->variable->type == ACT_LONG && act_parse_long(p, e->value, name)) ||
        act_parse_expect(p, ";"))
        return NULL;
    end(p, e);
    return e;
}

/* Read a body: elements and the comment after the last one, or code where `comment` is
 * NULL. */
static int read_inner(struct act_parse *p, struct act_element *e,
                      struct act_element **first, const char **comment)
{
    int rc;

    e->comment = act_parse_join(p, e->comment, p->inner);
    p->inner = NULL;
    if (++p->depth > ACT_DEEPEST)
        return act_lex_refuse_at(&p->lex, p->lex.word.place,
                                 "found more than %d levels, expected fewer",
                                 ACT_DEEPEST);
    rc = act_parse_expect(p, "{");
    if (!rc) {
        keep_comments(p, e);
        rc = comment ? act_parse_elements(p, first, comment, e->kind == ACT_FORK)
                     : read_code(p, first);
    }
    p->depth--;
    return rc ? rc : act_parse_expect(p, "}");
}

/* Read "if GUARD { } elif GUARD { } else { }", from the guard on; within do { } its
 * bodies are code. */
static int read_if(struct act_parse *p, struct act_element *e, int is_code)
{
    e->value = act_parse_expression(p);
    if (!e->value || read_inner(p, e, &e->body, is_code ? NULL : &e->body_comment))
        return p->lex.failed;
    if (act_parse_is(p, "elif")) {
        keep_comments(p, e);
        if (++p->depth > ACT_DEEPEST)
            return act_lex_refuse(&p->lex, "fewer branches");
        e->otherwise = make(p, ACT_IF);
        e->is_elif = e->otherwise != NULL;
        if (!e->otherwise || act_parse_next(p) || read_if(p, e->otherwise, is_code))
            return p->lex.failed;
        p->depth--;
    } else if (act_parse_is(p, "else")) {
        e->has_else = 1;
        if (act_parse_next(p) ||
            read_inner(p, e, &e->otherwise, is_code ? NULL : &e->else_comment))
            return p->lex.failed;
    }
    return 0;
}

static int read_code(struct act_parse *p, struct act_element **first)
{
    struct act_element **last = first;

    while (!act_parse_is(p, "}")) {
        struct act_element *e;

        if (act_parse_is(p, "if")) {
            e = make(p, ACT_IF);
            if (!e || act_parse_next(p) || read_if(p, e, 1))
                return p->lex.failed ? p->lex.failed : -ENOMEM;
            end(p, e);
        } else if (!(e = read_set(p))) {
            return p->lex.failed ? p->lex.failed : -ENOMEM;
        }
        *last = e;
        last = &e->next;
    }
    return 0;
}

/* Read a clause that may occur once; its keyword is the current token. */
static int read_expr(struct act_parse *p, struct act_expr **to, int whole)
{
    const char *clause = p->lex.word.text;

    if (*to)
        return act_lex_refuse(&p->lex, "each clause once");
    if (act_parse_next(p) || !(*to = act_parse_expression(p)))
        return p->lex.failed;
    return whole ? act_parse_long(p, *to, clause) : 0;
}

static int read_cost(struct act_parse *p, struct act_expr **to)
{
    int rc;

    p->costs++;
    rc = read_expr(p, to, 0);
    p->costs--;
    return rc;
}

/* Read Pllana's tag `time`: a measured time. */
static int read_time(struct act_parse *p, struct act_element *e)
{
    if (e->time)
        return act_lex_refuse(&p->lex, "each clause once");
    if (act_parse_next(p))
        return p->lex.failed;
    if (p->lex.word.kind != CCA_TOKEN_INTEGER && p->lex.word.kind != CCA_TOKEN_REAL)
        return act_lex_refuse(&p->lex, "a number: seconds");
    e->time = act_parse_number(p);
    return e->time ? 0 : p->lex.failed;
}

static int read_id(struct act_parse *p, struct act_element *e)
{
    if (e->id >= 0)
        return act_lex_refuse(&p->lex, "each clause once");
    if (act_parse_next(p))
        return p->lex.failed;
    if (p->lex.word.kind != CCA_TOKEN_INTEGER)
        return act_lex_refuse(&p->lex, "a whole number");
    e->id = p->lex.word.whole;
    return act_parse_next(p);
}

static int read_quoted(struct act_parse *p, const char **to, const char *of)
{
    if (*to)
        return act_lex_refuse(&p->lex, "each clause once");
    if (act_parse_next(p) || !(*to = act_parse_text(p, of)))
        return p->lex.failed;
    return 0;
}

/* Read "with E, E" of an exchange or "for S, R" of a wait, from the keyword on. */
static int read_peers(struct act_parse *p, struct act_element *e)
{
    int names = e->kind == ACT_WAIT;

    if (e->peer_count)
        return act_lex_refuse(&p->lex, "each clause once");
    do {
        if (act_parse_next(p)) /* skip with, for or a comma */
            return p->lex.failed;
        if (e->peer_count == ACT_PEERS || (names && p->lex.word.kind != CCA_TOKEN_NAME))
            return act_lex_refuse(&p->lex,
                                  names ? "the name of an isend or irecv, at most 32"
                                        : "at most 32 neighbours");
        if (names) {
            e->waited_names[e->peer_count++] = p->lex.word.text;
            if (act_parse_next(p))
                return p->lex.failed;
        } else {
            struct act_expr *peer = act_parse_expression(p);

            if (!peer || act_parse_long(p, peer, "with"))
                return p->lex.failed;
            e->peers[e->peer_count++] = peer;
        }
    } while (act_parse_is(p, ","));
    return 0;
}

static int read_as(struct act_parse *p, struct act_element *e)
{
    if (e->as != ACT_AS_USUAL)
        return act_lex_refuse(&p->lex, "each clause once");
    if (act_parse_next(p))
        return p->lex.failed;
    if (!act_parse_is(p, "cost") && !act_parse_is(p, "expanded"))
        return act_lex_refuse(&p->lex, "cost or expanded");
    e->as = act_parse_is(p, "cost") ? ACT_AS_COST : ACT_AS_EXPANDED;
    return act_parse_next(p);
}

static int read_do(struct act_parse *p, struct act_element *e)
{
    if (e->code)
        return act_lex_refuse(&p->lex, "each clause once");
    return act_parse_next(p) ? p->lex.failed : read_inner(p, e, &e->code, NULL);
}

/* Read one clause that the element may have. Returns 1; 0 if there is none; or an
 * error. */
static int read_clause(struct act_parse *p, struct act_element *e)
{
    static const struct {
        const char *word;
        unsigned clause;
    } words[] = {{"cost", COST},    {"time", TIME}, {"memory", MEMORY}, {"bytes", BYTES},
                 {"tag", TAG},      {"to", TO},     {"from", FROM},     {"root", ROOT},
                 {"with", WITH},    {"for", FOR},   {"as", AS},         {"do", CODE},
                 {"method", METHOD}};
    unsigned clause = 0;
    int rc = 0;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (act_parse_is(p, words[i].word))
            clause = words[i].clause & kinds[e->kind].clauses;
    if (act_parse_is(p, "id"))
        rc = read_id(p, e);
    else if (act_parse_is(p, "type"))
        rc = read_quoted(p, &e->type, "a type");
    else if (act_parse_is(p, "<<"))
        rc = act_parse_applied(p, kinds[e->kind].name, &e->applied);
    else if (clause == METHOD)
        rc = read_quoted(p, &e->method, "the method's name");
    else if (clause == COST)
        rc = read_cost(p, &e->cost);
    else if (clause == TIME)
        rc = read_time(p, e);
    else if (clause == MEMORY)
        rc = read_expr(p, &e->memory, 0);
    else if (clause == BYTES || clause == TAG)
        rc = read_expr(p, clause == BYTES ? &e->bytes : &e->tag, 1);
    else if (clause == TO || clause == FROM || clause == ROOT)
        rc = read_expr(p, &e->peer, 1);
    else if (clause == WITH || clause == FOR)
        rc = read_peers(p, e);
    else if (clause == AS)
        rc = read_as(p, e);
    else if (clause == CODE)
        rc = read_do(p, e);
    else if (p->lex.word.kind == CCA_TOKEN_RAW && e->kind == ACT_ACTION && !e->raw) {
        e->raw = p->lex.word.text;
        rc = act_parse_next(p);
    } else
        return 0;
    return rc ? rc : 1;
}

static int read_named(struct act_parse *p, struct act_element *e)
{
    unsigned may = kinds[e->kind].clauses;
    int rc;

    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "a name of the element");
    e->name = p->lex.word.text;
    rc = act_parse_next(p) ? p->lex.failed : 1;
    while (rc > 0)
        rc = read_clause(p, e);
    if (!rc && may & (TO | FROM) && !e->peer)
        rc =
            act_lex_refuse(&p->lex, may & TO ? "to and a process" : "from and a process");
    if (!rc && may & WITH && !e->peer_count)
        rc = act_lex_refuse(&p->lex, "with and a process");
    return rc;
}

/* Read "call SA id 3 <<S>>". */
static int read_call(struct act_parse *p, struct act_element *e)
{
    int rc;

    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "the name of an activity");
    e->called = p->lex.word.text;
    rc = act_parse_next(p) ? p->lex.failed : 1;
    while (rc > 0)
        rc = read_clause(p, e);
    return rc;
}

/* Read "i = a..b"; the variable is visible from then on. */
static int read_turns(struct act_parse *p, struct act_element *e)
{
    struct act_variable *v = act_parse_take(p, sizeof *v);

    if (!v || act_parse_free(p, p->lex.word.text, 1))
        return p->lex.failed;
    *v = (struct act_variable){.name = p->lex.word.text,
                               .type = ACT_LONG,
                               .place = p->lex.word.place,
                               .slot = p->model->slots++,
                               .used = 1,
                               .is_turn = 1,
                               .next = p->locals};
    if (act_parse_next(p) || act_parse_expect(p, "=") ||
        !(e->value = act_parse_expression(p)) || act_parse_long(p, e->value, "a bound") ||
        act_parse_expect(p, "..") || !(e->last = act_parse_expression(p)) ||
        act_parse_long(p, e->last, "a bound"))
        return p->lex.failed;
    e->variable = v;
    return 0;
}

static int read_loop(struct act_parse *p, struct act_element *e)
{
    struct act_variable *outer = p->locals;
    int rc = read_turns(p, e);

    if (!rc) {
        p->locals = e->variable;
        rc = read_inner(p, e, &e->body, &e->body_comment);
    }
    p->locals = outer;
    return rc;
}

static int read_while(struct act_parse *p, struct act_element *e)
{
    e->value = act_parse_expression(p);
    return e->value ? read_inner(p, e, &e->body, &e->body_comment) : p->lex.failed;
}

/* Read "schedule dynamic chunk E", either or both, of a parallel loop. */
static int read_schedule(struct act_parse *p, struct act_element *e)
{
    if (act_parse_is(p, "schedule")) {
        if (act_parse_next(p))
            return p->lex.failed;
        if (!act_parse_is(p, "static") && !act_parse_is(p, "dynamic"))
            return act_lex_refuse(&p->lex, "static or dynamic");
        e->schedule = act_parse_is(p, "static") ? ACT_STATIC : ACT_DYNAMIC;
        e->schedule_given = 1;
        if (act_parse_next(p))
            return p->lex.failed;
    }
    return act_parse_is(p, "chunk") ? read_expr(p, &e->chunk, 1) : 0;
}

/* Read an element parallel, critical or fork: its name, clauses and body. */
static int read_region(struct act_parse *p, struct act_element *e)
{
    struct act_variable *outer = p->locals;
    int rc;

    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "a name of the element");
    e->name = p->lex.word.text;
    rc = act_parse_next(p) ? p->lex.failed : 1;
    while (rc > 0)
        rc = read_clause(p, e);
    if (!rc && e->kind == ACT_PARALLEL) {
        rc = act_parse_is(p, "threads") ? read_expr(p, &e->threads, 1)
                                        : act_lex_refuse(&p->lex, "threads");
        if (!rc && act_parse_is(p, "loop")) {
            rc = act_parse_next(p);
            rc = rc ? rc : read_turns(p, e);
            rc = rc ? rc : read_schedule(p, e);
            if (!rc)
                p->locals = e->variable;
        }
    }
    rc = rc ? rc : read_inner(p, e, &e->body, &e->body_comment);
    p->locals = outer;
    if (!rc && e->kind == ACT_FORK && !e->body)
        rc = act_lex_refuse_at(&p->lex, e->place,
                               "found a fork without branches, expected one");
    return rc;
}

/* The kind of element that the current token starts, or ACT_KINDS. */
static enum act_kind kind_of(const struct act_parse *p)
{
    int kind = 0;

    while (kind < ACT_KINDS && (kind == ACT_SET || !act_parse_is(p, kinds[kind].name)))
        kind++;
    return (enum act_kind)kind;
}

static int read_rest(struct act_parse *p, struct act_element *e)
{
    switch (e->kind) {
    case ACT_CALL:
        return read_call(p, e);
    case ACT_IF:
        return read_if(p, e, 0);
    case ACT_LOOP:
        return read_loop(p, e);
    case ACT_WHILE:
        return read_while(p, e);
    case ACT_DO:
        return read_inner(p, e, &e->code, NULL);
    case ACT_PARALLEL:
    case ACT_CRITICAL:
    case ACT_FORK:
        return read_region(p, e);
    case ACT_BRANCH:
        return read_inner(p, e, &e->body, &e->body_comment);
    default:
        return read_named(p, e);
    }
}

static struct act_element *read_element(struct act_parse *p, int branches)
{
    enum act_kind kind = kind_of(p);
    struct act_element *e;

    if (branches != (kind == ACT_BRANCH) || kind == ACT_KINDS) {
        act_lex_refuse(
            &p->lex, branches
                         ? "branch or }"
                         : "an element (action, call, if, loop, while, code, send, recv, "
                           "isend, irecv, wait, exchange, bcast, reduce, allreduce, "
                           "barrier, alltoall, parallel, critical, fork) or }");
        return NULL;
    }
    e = make(p, kind);
    if (!e || act_parse_next(p) || read_rest(p, e))
        return NULL;
    end(p, e);
    return e;
}

int act_parse_elements(struct act_parse *p, struct act_element **first, const char **end_,
                       int branches)
{
    struct act_element **last = first;
    int number = 0;

    while (!act_parse_is(p, "}")) {
        struct act_element *e = read_element(p, branches);

        if (!e)
            return p->lex.failed ? p->lex.failed : -ENOMEM;
        if (branches && ++number > ACT_PEERS)
            return act_lex_refuse_at(&p->lex, e->place,
                                     "found more than %d branches, expected fewer",
                                     ACT_PEERS);
        *last = e;
        last = &e->next;
    }
    *end_ = p->lex.word.comment;
    p->lex.word.comment = NULL;
    return 0;
}
