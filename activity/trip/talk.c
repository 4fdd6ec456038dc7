/* SPDX-License-Identifier: BSD-3-Clause */
/* talk.c: messages and collectives of a method become elements of its activity.
 *
 * Only communication that is the same in each call is written: equally many messages to
 * the same peers. A comment above the text names the rest. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/model/tree.h"
#include "activity/trip/text.h"

enum { MOST_RANKS = 1000, MOST_OFFSETS = 8 };

/* Messages of one method per call, from rank to rank. */
struct matrix {
    int ranks;
    /* [ranks][ranks] by sender and receiver, per call of the method */
    double *messages, *bytes;
};

/* The whole number nearest to `value`; -1 if the two are not close enough. Numbers from
 * samples may be farther off. */
static int64_t number_whole(double value, int sampled)
{
    double near = nearbyint(value);

    if (near < 1 || fabs(value - near) > (sampled ? .25 : .01))
        return -1;
    return (int64_t)near;
}

static void talk_leave_out(struct text *text, const struct mm_method_info *method,
                           const char *what)
{
    text_note(text, text_print(text,
                               "%s of %s differ from call to call: they are not in "
                               "the model.",
                               what, text_quoted(text, method->name)));
}

/* With scaling functions: mean bytes of a message or collective call of a method in each
 * run. */
static const char *law_of_bytes(struct text *text, const struct trip_symbol *s,
                                const char *function)
{
    struct text_block once = {.visits = "1"};
    struct text_quantity quantity;
    const char *bytes;

    if (text_quantity_init(text, &quantity))
        return "0";
    for (size_t run = 0; run < text->trip->runs; run++) {
        const struct trip_traffic *traffic = &text->traffic[run];
        double sum = 0, count = 0;

        for (size_t i = 0; i < traffic->collective_count && function; i++) {
            const struct trip_collective *c = &traffic->collectives[i];

            if (strcmp(c->method->name, s->method->name) == 0 &&
                strcmp(c->function, function) == 0) {
                sum += c->bytes * c->instances;
                count += c->instances;
            }
        }
        for (size_t i = 0; i < traffic->pair_count && !function; i++) {
            const struct trip_pair *p = &traffic->pairs[i];

            if (strcmp(p->method->name, s->method->name) == 0) {
                sum += p->bytes;
                count += p->messages;
            }
        }
        quantity.visits[run] = quantity.sum[run] = quantity.rate[run] =
            count > 0 ? sum / count : NAN;
    }
    bytes = text_of_rate(text, &once,
                         text_print(text, "%s_%sbytes", s->name, function ? "all_" : ""),
                         &quantity, TEXT_TURNS, NULL);
    return bytes[strspn(bytes, "0123456789")] ? text_print(text, "floor(%s + 0.5)", bytes)
                                              : bytes;
}

/* --- Collectives. --- */

static const char *collective_kind(const char *function)
{
    static const char *const kinds[][2] = {
        {"allreduce", "allreduce"}, {"Allreduce", "allreduce"}, {"bcast", "bcast"},
        {"Bcast", "bcast"},         {"arrier", "barrier"},      {"lltoall", "alltoall"},
        {"llgather", "alltoall"},   {"reduce", "reduce"},       {"Reduce", "reduce"}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(function, kinds[i][0]))
            return kinds[i][1];
    return NULL;
}

static void write_collective(struct text *text, FILE *out, const struct trip_symbol *s,
                             const struct trip_collective *c, double calls, int sampled)
{
    const char *kind = collective_kind(c->function);
    int64_t times = number_whole(c->instances / calls, sampled);

    if (!kind || times < 0) {
        talk_leave_out(text, s->method, c->function);
        return;
    }
    if (times > 1)
        fprintf(out, "loop j1 = 1..%lld {\n", (long long)times);
    fprintf(out, "%s %s", kind,
            text_name(text, text_print(text, "%s_%s", s->name, kind)));
    if (strcmp(kind, "bcast") == 0 || strcmp(kind, "reduce") == 0)
        fprintf(out, " root 0");
    if (strcmp(kind, "barrier") != 0)
        fprintf(out, " bytes %s",
                text->trip->by_laws ? law_of_bytes(text, s, c->function)
                                    : text_print(text, "%.0f", c->bytes));
    fprintf(out, "\n%s", times > 1 ? "}\n" : "");
}

/* --- Messages. --- */

static double *matrix_at(const struct matrix *m, double *numbers, int src, int dst)
{
    return &numbers[(size_t)src * (size_t)m->ranks + (size_t)dst];
}

static int matrix_init(struct text *text, struct matrix *m,
                       const struct trip_traffic *traffic,
                       const struct mm_method_info *method, double calls)
{
    size_t size;
    int found = 0;

    m->ranks = text->trip->experiments[0]->ranks;
    size = (size_t)m->ranks * (size_t)m->ranks * sizeof(double);
    m->messages = trip_take(text->trip, size);
    m->bytes = trip_take(text->trip, size);
    if (!m->messages || !m->bytes)
        return text->failed = -ENOMEM;
    for (size_t i = 0; i < traffic->pair_count; i++) {
        const struct trip_pair *p = &traffic->pairs[i];

        if (p->method != method || p->src >= m->ranks || p->dst >= m->ranks)
            continue;
        found = 1;
        *matrix_at(m, m->messages, p->src, p->dst) = p->messages / calls;
        *matrix_at(m, m->bytes, p->src, p->dst) = p->bytes / p->messages;
    }
    return found;
}

/* Number of messages per call between each pair of ranks that has any; -1: pairs
 * differ. */
static int64_t times_of(const struct matrix *m, int sampled)
{
    int64_t times = 0;

    for (int i = 0; i < m->ranks * m->ranks; i++) {
        int64_t own = m->messages[i] > 0 ? number_whole(m->messages[i], sampled) : 0;

        if (own < 0 || (own && times && own != times))
            return -1;
        times = own ? own : times;
    }
    return times ? times : -1;
}

static int is_symmetric(const struct matrix *m)
{
    for (int i = 0; i < m->ranks; i++)
        for (int k = 0; k < i; k++)
            if ((*matrix_at(m, m->messages, i, k) > 0) !=
                (*matrix_at(m, m->messages, k, i) > 0))
                return 0;
    return 1;
}

/* Text of the mean bytes per message of each rank: a number, or a table. */
static const char *bytes_of(struct text *text, const struct matrix *m,
                            const struct trip_symbol *s)
{
    struct trip_values *values =
        calloc(text->trip->thread_count + 1, sizeof *values); /* by unit */
    struct text_list list = {0, values, text_print(text, "%s_bytes", s->name), 0};
    struct text_block none = {0};
    struct text_answer answer = {.said = TEXT_NEVER};
    int rc = values ? 0 : -ENOMEM;

    for (size_t u = 0; u < text->trip->thread_count && !rc; u++) {
        int src = text->trip->threads[u].rank;
        double sum = 0, count = 0;

        if (text->trip->threads[u].run != 0)
            continue;
        for (int dst = 0; dst < m->ranks; dst++) {
            if (*matrix_at(m, m->messages, src, dst) > 0) {
                sum += *matrix_at(m, m->bytes, src, dst);
                count++;
            }
        }
        if (count > 0)
            rc = trip_values_add(&values[u], llround(sum / count), 0);
    }
    if (!rc)
        answer = text_of_list(text, &none, &list);
    else
        text->failed = cca_no_memory(text->trip->err);
    trip_values_free(values, text->trip->thread_count);
    if (answer.said == TEXT_VALUE)
        return answer.text;
    return answer.said == TEXT_CONSTANT ? text_number(text, answer.value, 0) : "0";
}

/* Find the peers of all ranks as offsets from the own rank. Returns the number of
 * offsets, or -1 if ranks have different ones. */
static int offsets_of(const struct matrix *m, int *offsets)
{
    int count = 0;

    for (int distance = 1 - m->ranks; distance < m->ranks; distance++) {
        int has = 0, lacks = 0;

        for (int src = 0; src < m->ranks && distance; src++) {
            int dst = src + distance;

            if (dst < 0 || dst >= m->ranks)
                continue;
            has |= *matrix_at(m, m->messages, src, dst) > 0;
            lacks |= !(*matrix_at(m, m->messages, src, dst) > 0);
        }
        if (has && lacks)
            return -1;
        if (has && count == MOST_OFFSETS)
            return -1;
        if (has)
            offsets[count++] = distance;
    }
    return count;
}

/* The k-th peer of each rank as a table; -1: the rank has fewer peers. NULL: no rank has
 * so many. */
static const char *peers_of(struct text *text, const struct matrix *m, int k,
                            const char *name)
{
    struct trip_values *values = calloc(text->trip->thread_count + 1, sizeof *values);
    struct text_list list = {0, values, text_print(text, "%s_peer", name), 0};
    struct text_block none = {0};
    struct text_answer answer = {.said = TEXT_NEVER};
    int found = 0, rc = values ? 0 : -ENOMEM;

    for (size_t u = 0; u < text->trip->thread_count && !rc; u++) {
        int src = text->trip->threads[u].rank, left = k, peer = m->ranks;

        if (text->trip->threads[u].run != 0)
            continue;

        for (int dst = 0; dst < m->ranks && peer == m->ranks; dst++)
            if (*matrix_at(m, m->messages, src, dst) > 0 && left-- == 0)
                peer = dst;
        found |= peer < m->ranks;
        /* A missing peer is written as nproc, since tables have no -1. */
        rc = trip_values_add(&values[u], peer, 0);
    }
    if (!rc && found)
        answer = text_of_list(text, &none, &list);
    if (rc)
        text->failed = cca_no_memory(text->trip->err);
    trip_values_free(values, text->trip->thread_count);
    switch (answer.said) {
    case TEXT_CONSTANT:
        return text_number(text, answer.value, 0);
    case TEXT_GUARD:
        return text_print(text, "(%s ? 1 : 0)", answer.text);
    case TEXT_VALUE:
        return answer.text;
    default:
        return NULL;
    }
}

/* Write the messages as an exchange. Returns 0 if there are more peers than an exchange
 * can have. */
static int write_exchange(struct text *text, FILE *out, const struct trip_symbol *s,
                          const struct matrix *m)
{
    int offsets[MOST_OFFSETS], count = offsets_of(m, offsets);
    const char *name = text_name(text, text_print(text, "%s_exchange", s->name));
    const char *with = "", *peer;

    for (int i = 0; i < count; i++)
        with = text_print(text, "%s%spid %c %d", with, i ? ", " : "",
                          offsets[i] < 0 ? '-' : '+', abs(offsets[i]));
    if (count < 0 && text->trip->by_laws) /* a table of peers is valid for one run only */
        return 0;
    if (count < 0) {
        for (int k = 0; (peer = peers_of(text, m, k, s->name)); k++) {
            if (k == ACT_PEERS)
                return 0;
            with = text_print(text, "%s%s%s", with, k ? ", " : "", peer);
        }
    }
    fprintf(out, "exchange %s with %s bytes %s\n", name, with,
            (text->trip->by_laws ? law_of_bytes(text, s, NULL) : bytes_of(text, m, s)));
    return 1;
}

/* The rank to which all others send (with `receives`, from which all others receive), or
 * -1. */
static int root_of(const struct matrix *m, int receives)
{
    for (int root = 0; root < m->ranks; root++) {
        int fits = 1;

        for (int i = 0; i < m->ranks && fits; i++)
            for (int k = 0; k < m->ranks && fits; k++)
                fits = (*matrix_at(m, m->messages, i, k) > 0) ==
                       (i != k && (receives ? k : i) == root);
        if (fits)
            return root;
    }
    return -1;
}

/* Number of messages of each rank with the root per call: a number, or a table indexed by
 * `index`, an expression for the rank. NULL: not a whole number. */
static const char *rooted_times(struct text *text, const struct matrix *m, int root,
                                const char *name, const char *index)
{
    struct trip_values *values = calloc(text->trip->thread_count + 1, sizeof *values);
    struct text_list list = {0, values, text_print(text, "%s_messages", name), 0};
    struct text_block none = {0};
    struct text_answer answer = {.said = TEXT_NEVER};
    int rc = values ? 0 : -ENOMEM, whole = 1;

    for (size_t u = 0; u < text->trip->thread_count && !rc; u++) {
        int rank = text->trip->threads[u].rank;
        int64_t times;

        if (rank == root || text->trip->threads[u].run != 0)
            continue;
        times = number_whole(*matrix_at(m, m->messages, rank, root) +
                                 *matrix_at(m, m->messages, root, rank),
                             text->traffic->sampled);
        whole &= times > 0;
        rc = trip_values_add(&values[u], times, 0);
    }
    if (!rc && whole)
        answer = text_of_list(text, &none, &list);
    if (rc)
        text->failed = cca_no_memory(text->trip->err);
    trip_values_free(values, text->trip->thread_count);
    if (answer.said == TEXT_CONSTANT)
        return text_number(text, answer.value, 0);
    if (answer.said != TEXT_VALUE || text->trip->most_threads > 1)
        return NULL;
    return text_print(text, "%.*s[%s]", (int)strcspn(answer.text, "["), answer.text,
                      index);
}

static int write_rooted(struct text *text, FILE *out, const struct trip_symbol *s,
                        const struct matrix *m)
{
    int gathers = root_of(m, 1), root = gathers >= 0 ? gathers : root_of(m, 0);
    const char *own, *others, *bytes, *sends, *receives;

    if (root < 0 || !(own = rooted_times(text, m, root, s->name, "j2")) ||
        !(others = rooted_times(text, m, root, s->name, "pid")) ||
        (text->trip->by_laws && strchr(own, '[')))
        return 0;
    sends = text_name(text, text_print(text, "%s_send", s->name));
    receives = text_name(text, text_print(text, "%s_recv", s->name));
    bytes = (text->trip->by_laws ? law_of_bytes(text, s, NULL) : bytes_of(text, m, s));
    fprintf(out,
            "if pid == %d {\nloop j2 = 0..nproc - 1 {\nif j2 != %d {\n"
            "loop j1 = 1..%s {\n",
            root, root, own);
    if (gathers >= 0)
        fprintf(out, "recv %s from j2\n", receives);
    else
        fprintf(out, "send %s to j2 bytes %s\n", sends, bytes);
    fprintf(out, "}\n}\n}\n} else {\nloop j1 = 1..%s {\n", others);
    if (gathers >= 0)
        fprintf(out, "send %s to %d bytes %s\n", sends, root, bytes);
    else
        fprintf(out, "recv %s from %d\n", receives, root);
    fprintf(out, "}\n}\n");
    return 1;
}

static void write_messages(struct text *text, FILE *out, const struct trip_symbol *s,
                           const struct trip_traffic *traffic, double calls)
{
    struct matrix m;
    int64_t times;
    char *buffer;
    size_t size;
    FILE *body;
    const char *written;
    int done, symmetric;

    if (text->trip->most_ranks > MOST_RANKS ||
        matrix_init(text, &m, traffic, s->method, calls) != 1)
        return;
    times = times_of(&m, traffic->sampled);
    body = text_open(text, &buffer, &size);
    if (!body)
        return;
    symmetric = is_symmetric(&m);
    done = symmetric ? times > 0 && write_exchange(text, body, s, &m)
                     : write_rooted(text, body, s, &m);
    written = text_close(text, body, &buffer, &size);
    if (!done && (times < 0 || !symmetric))
        talk_leave_out(text, s->method, "Messages");
    else if (!done)
        text_note(text, text_print(text,
                                   "%s has peers that no exchange can name: its messages "
                                   "are not in the model.",
                                   text_quoted(text, s->method->name)));
    else if (symmetric && times > 1)
        fprintf(out, "loop j1 = 1..%lld {\n%s}\n", (long long)times, written);
    else
        fputs(written, out);
}

void text_of_talk(struct text *text, FILE *out, const struct trip_symbol *s)
{
    const struct trip_traffic *traffic = text->traffic;
    double calls;

    if (!traffic->known)
        return;
    calls = trip_calls_by_rank(text->trip, s->method);
    for (size_t i = 0; i < traffic->collective_count; i++) {
        if (traffic->collectives[i].method != s->method)
            continue;
        if (calls > 0)
            write_collective(text, out, s, &traffic->collectives[i], calls,
                             traffic->sampled);
        else
            talk_leave_out(text, s->method, traffic->collectives[i].function);
    }
    if (calls > 0)
        write_messages(text, out, s, traffic, calls);
}
