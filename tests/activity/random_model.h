/* SPDX-License-Identifier: BSD-3-Clause */
/* random_model.h: models of any shape as text. Most run to their end; some are at fault.
 */
#ifndef TESTS_ACTIVITY_RANDOM_MODEL_H
#define TESTS_ACTIVITY_RANDOM_MODEL_H

#include <stdint.h>
#include <stdio.h>

struct random_model {
    FILE *out;
    uint64_t state;
    int names;   /* so far */
    int turns;   /* loop variables in sight: i0 .. */
    int threads; /* within parallel or fork */
    int depth;
    int budget; /* elements that may still come */
    int calls;  /* activities that may be called: S0 .. */
};

static inline unsigned random_below(struct random_model *r, unsigned n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((r->state >> 33) % n);
}

static inline void random_expr(struct random_model *r, int is_long, int depth)
{
    static const char *const longs[] = {"a",   "b",       "pid", "nproc",
                                        "tid", "nthread", "uid"};
    static const char *const whole_signs[] = {"+", "-", "*", "/", "%"};
    static const char *const tests[] = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"};

    switch (depth <= 0 ? random_below(r, 3) : random_below(r, 12)) {
    case 0:
        fprintf(r->out, is_long ? "%u" : "%u.25", random_below(r, 9));
        break;
    case 1:
    case 2:
        if (r->turns && random_below(r, 3) == 0)
            fprintf(r->out, "i%d", (int)random_below(r, (unsigned)r->turns));
        else if (is_long || random_below(r, 2))
            fputs(longs[random_below(r, 7)], r->out);
        else
            fputs(random_below(r, 2) ? "x" : "y", r->out);
        break;
    case 3:
        fputs("(", r->out);
        random_expr(r, is_long, depth - 1);
        fprintf(r->out, " %s ", tests[random_below(r, 8)]);
        random_expr(r, is_long, depth - 1);
        fputs(" ? ", r->out);
        random_expr(r, is_long, depth - 1);
        fputs(" : ", r->out);
        random_expr(r, is_long, depth - 1);
        fputs(")", r->out);
        break;
    case 4:
        fputs(is_long ? "min(" : "max(", r->out);
        random_expr(r, is_long, depth - 1);
        fputs(", ", r->out);
        random_expr(r, is_long, depth - 1);
        fputs(")", r->out);
        break;
    case 5:
        fputs(is_long ? "floor(" : "sqrt(abs(", r->out);
        random_expr(r, 0, depth - 1);
        fputs(is_long ? ")" : "))", r->out);
        break;
    case 6: /* an index that is in its table, mostly */
        fprintf(r->out, is_long ? "T[abs(" : "D[abs(");
        random_expr(r, 1, depth - 1);
        fprintf(r->out, ")%%%d]", 4 + (random_below(r, 50) == 0));
        break;
    case 7:
        fprintf(r->out, is_long ? "F(" : "G(");
        random_expr(r, 1, depth - 1);
        fputs(", ", r->out);
        random_expr(r, 0, depth - 1);
        fputs(")", r->out);
        break;
    case 8: /* a division by what is not 0, mostly */
        fputs("(", r->out);
        random_expr(r, is_long, depth - 1);
        fprintf(r->out, ")%s(1 + abs(",
                is_long ? whole_signs[3 + random_below(r, 2)] : "/");
        random_expr(r, is_long, depth - 1);
        fputs("))", r->out);
        break;
    case 9:
        fprintf(r->out, "%s(", random_below(r, 2) ? "-" : is_long ? "!" : "-");
        random_expr(r, is_long, depth - 1);
        fputs(")", r->out);
        break;
    default:
        fputs("(", r->out);
        random_expr(r, is_long, depth - 1);
        fprintf(r->out, " %s ",
                random_below(r, 60) == 0 ? "/" : whole_signs[random_below(r, 3)]);
        random_expr(r, is_long, depth - 1);
        fputs(")", r->out);
    }
}

/* A cost that is not negative, mostly. */
static inline void random_cost(struct random_model *r)
{
    fputs(random_below(r, 100) ? " cost abs(" : " cost (", r->out);
    random_expr(r, random_below(r, 3) == 0, 2);
    fputs(")", r->out);
}

static inline void random_code(struct random_model *r, int depth)
{
    fputs("{ ", r->out);
    for (int n = 1 + (int)random_below(r, 2); n-- > 0;) {
        int which = (int)random_below(r, depth > 0 ? 5 : 4);

        if (which == 4) {
            fputs("if ", r->out);
            random_expr(r, 1, 1);
            fputs(" ", r->out);
            random_code(r, depth - 1);
            fputs(random_below(r, 2) ? " else " : " elif a > 2 ", r->out);
            random_code(r, depth - 1);
            continue;
        }
        /* values stay small */
        fprintf(r->out, which < 2 ? "%c = (" : "%c = 0.5*sqrt(abs(", "abxy"[which]);
        random_expr(r, which < 2, 2);
        fputs(which < 2 ? ")%11; " : ")); ", r->out);
    }
    fputs("} ", r->out);
}

static inline void random_elements(struct random_model *r, int most);

static inline void random_body(struct random_model *r)
{
    fputs("{\n", r->out);
    r->depth++;
    random_elements(r, 3);
    r->depth--;
    fputs("}\n", r->out);
}

static inline void random_message(struct random_model *r)
{
    int name = r->names++;

    switch (random_below(r, 5)) {
    case 0: /* around the ring */
        fprintf(r->out,
                "send M%d to (pid + 1)%%nproc bytes %u tag %d\n"
                "recv N%d from (pid + nproc - 1)%%nproc tag %d\n",
                name, random_below(r, 5000), name, name, name);
        break;
    case 1:
        fprintf(r->out,
                "irecv N%d from (pid + nproc - 1)%%nproc\n"
                "isend M%d to (pid + 1)%%nproc bytes %u\n"
                "action A%d cost 0.5\nwait W%d%s",
                name, name, random_below(r, 5000), name, name,
                random_below(r, 2) ? "\n" : "");
        if (random_below(r, 2))
            fprintf(r->out, " for N%d, M%d", name, name);
        fputs("\n", r->out);
        break;
    case 2:
        fprintf(r->out, "exchange X%d with pid - 1, pid + 1 bytes %u tag 7\n", name,
                random_below(r, 5000));
        break;
    default: {
        static const char *const kinds[] = {"allreduce", "barrier", "alltoall", "bcast",
                                            "reduce"};
        unsigned kind = random_below(r, 5);

        fprintf(r->out, "%s C%d", kinds[kind], name);
        if (kind >= 3)
            fputs(" root nproc - 1", r->out);
        if (kind != 1)
            fprintf(r->out, " bytes %u", random_below(r, 100));
        if (random_below(r, 2))
            fputs(" as expanded", r->out);
        else
            random_cost(r);
        fputs("\n", r->out);
    }
    }
}

static inline void random_threads(struct random_model *r)
{
    int name = r->names++, outer = r->threads;

    r->threads = 1;
    if (random_below(r, 3) == 0) {
        fprintf(r->out, "fork K%d {\nbranch ", name);
        random_body(r);
        fputs("branch ", r->out);
        random_body(r);
        fputs("}\n", r->out);
    } else if (random_below(r, 2)) {
        fprintf(r->out, "parallel P%d threads 1 + abs(pid)%%3 ", name);
        random_body(r);
    } else {
        fprintf(r->out, "parallel P%d threads 3 loop i%d = 0..%u schedule %s ", name,
                r->turns, random_below(r, 6), random_below(r, 2) ? "static" : "dynamic");
        if (random_below(r, 2))
            fputs("chunk 2 ", r->out);
        r->turns++;
        random_body(r);
        r->turns--;
    }
    r->threads = outer;
}

static inline void random_element(struct random_model *r)
{
    int name = r->names;

    switch (r->depth > 3 ? random_below(r, 4) : random_below(r, 12)) {
    case 4:
        fputs("if ", r->out);
        random_expr(r, 1, 2);
        fputs(" ", r->out);
        r->threads++; /* no messages where not all come */
        random_body(r);
        if (random_below(r, 2)) {
            fputs("elif ", r->out);
            random_expr(r, 0, 1);
            fputs(" ", r->out);
            random_body(r);
        }
        if (random_below(r, 2)) {
            fputs("else ", r->out);
            random_body(r);
        }
        r->threads--;
        break;
    case 5:
        fprintf(r->out, "loop i%d = %u..%u ", r->turns, random_below(r, 3),
                random_below(r, 5));
        r->turns++;
        random_body(r);
        r->turns--;
        break;
    case 6:
        fputs("code { c = 0; }\nwhile c < 3 {\ncode { c = c + 1; }\n", r->out);
        r->names++;
        fprintf(r->out, "action V%d", name);
        random_cost(r);
        fputs("\n}\n", r->out);
        break;
    case 7:
        if (r->calls > 0)
            fprintf(r->out, "call S%d\n", (int)random_below(r, (unsigned)r->calls));
        break;
    case 8:
        random_threads(r);
        break;
    case 9:
    case 10:
        if (r->threads) {
            r->names++;
            fprintf(r->out, "critical L%u ", random_below(r, 2));
            r->depth = 9; /* no lock within a lock */
            random_body(r);
            r->depth = 2;
        } else {
            random_message(r);
        }
        break;
    case 11:
        fputs("code ", r->out);
        random_code(r, 1);
        fputs("\n", r->out);
        break;
    default:
        r->names++;
        fprintf(r->out, "action A%d id %d", name, name);
        random_cost(r);
        if (random_below(r, 8) == 0)
            fprintf(r->out, " memory %u", random_below(r, 100));
        if (random_below(r, 3) == 0) {
            fputs(" do ", r->out);
            random_code(r, 1);
        }
        fputs("\n", r->out);
    }
}

static inline void random_elements(struct random_model *r, int most)
{
    int depth = r->depth;

    for (int n = 1 + (int)random_below(r, (unsigned)most); n-- > 0 && r->budget-- > 0;) {
        random_element(r);
        r->depth = depth;
    }
}

/* Write the model of a number. */
static inline void random_model(uint64_t number, FILE *out)
{
    struct random_model r = {
        .out = out, .state = number * 2654435761u + 12345, .budget = 40};

    for (int i = 0; i < 5; i++)
        random_below(&r, 2);
    fputs("model random\nglobal long a = 3\nglobal long b = 2\nglobal long c\n"
          "global double x = 1.5\nglobal double y = 0.25\n"
          "table long T = { 3, -1, 4, 1 }\ntable double D = { 0.5, 1e-3, 2, 7.125 }\n"
          "cost F(long n, double z) = n > 3 ? n%5 : floor(z)\n"
          "cost G(long n, double z) = z*(n + 1) - 121/(1 + abs(z))\n",
          out);
    /* Activities that others call stand first; they have no messages, so that threads may
     * call them. */
    for (int s = 0; s < 2; s++) {
        fprintf(out, "activity S%d%s {\nlocal double z = x + %d\n", s,
                random_below(&r, 2) ? " method \"a.b.c\"" : "", s);
        r.threads = 1;
        r.calls = s;
        random_elements(&r, 3);
        fputs("action Z", out);
        fprintf(out, "%d cost z*z do { z = z + 1; }\n}\n", s);
    }
    r.threads = 0;
    r.calls = 2;
    r.depth = 0;
    r.budget = 40;
    fprintf(out, "activity Main%s {\n", random_below(&r, 2) ? " method \"d.g.go\"" : "");
    random_elements(&r, 8);
    fputs("action End cost 1\n}\n", out);
}

#endif
