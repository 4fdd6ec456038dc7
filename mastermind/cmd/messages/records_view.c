/* SPDX-License-Identifier: BSD-3-Clause */
/* records_view.c: print sampled messages one by one, while they are read, so that memory
 * does not grow with them. */
#include <stdio.h>
#include <stdlib.h>

#include "mastermind/cmd/messages/messages_verb.h"

struct records {
    struct messages_verb *verb;
    uint64_t printed;
};

static void put_caller(json_t *row, const char *end, const struct mm_method_info *method,
                       const struct mm_messages_half *half)
{
    char key[32];

    if (method) {
        snprintf(key, sizeof key, "%s_method", end);
        mm_json_put(row, key, mm_json_escaped(method->name));
    }
    if (half->thread < 0 || !half->invocation)
        return;
    snprintf(key, sizeof key, "%s_thread", end);
    mm_json_put(row, key, json_integer(half->thread));
    snprintf(key, sizeof key, "%s_invocation", end);
    mm_json_put(row, key, json_integer((json_int_t)half->invocation));
}

static void put_stamps(json_t *row, const struct mm_messages *m,
                       const struct mm_message_part *part)
{
    const struct mm_messages_half *send = part->send, *recv = part->recv;
    int src_known = m->process[part->src].present;

    if (src_known) {
        mm_json_put(
            row, "send_ns",
            mm_json_finite(mm_messages_common_ns(m, part->src, send->t_start, NULL)));
        if (send->t_end)
            mm_json_put(
                row, "sent_ns",
                mm_json_finite(mm_messages_common_ns(m, part->src, send->t_end, NULL)));
    }
    mm_json_set(row, "post_ns enter_ns end_ns",
                mm_messages_common_ns(m, part->dst, recv->t_start, NULL),
                mm_messages_common_ns(m, part->dst, recv->t_enter, NULL),
                mm_messages_common_ns(m, part->dst, recv->t_end, NULL));
}

static json_t *record_json(struct messages_verb *v, const struct mm_message_part *part)
{
    const struct mm_messages_half *send = part->send, *recv = part->recv;
    json_t *row = json_object();
    char comm[20], flags[8];

    snprintf(comm, sizeof comm, "%016llx", (unsigned long long)send->comm);
    snprintf(flags, sizeof flags, "%s%s%s", send->flags & MM_HALF_NONBLOCKING ? "N" : "",
             recv->flags & MM_HALF_TRUNCATED ? "T" : "", part->times->suspect ? "S" : "");
    mm_json_set(row, "comm k from to tag bytes from_site to_site", comm,
                (json_int_t)send->k, part->src, part->dst, send->tag,
                (json_int_t)send->bytes, mm_site_name(v->sites, part->send_site),
                mm_site_name(v->sites, part->recv_site));
    put_caller(row, "from", part->send_method, send);
    put_caller(row, "to", part->recv_method, recv);
    put_stamps(row, v->messages, part);
    mm_json_set(row, "latency_ns late_sender_ns late_receiver_ns transfer_ns",
                part->times->latency, part->times->late_sender,
                part->times->late_receiver, part->times->transfer);
    if (send->p > 0)
        mm_json_put(row, "p", json_real(send->p));
    mm_json_put(row, "flags", json_string(flags));
    return row;
}

static void print_line(struct messages_verb *v, const struct mm_message_part *part)
{
    char name[300];

    snprintf(name, sizeof name, "%s > %s", mm_site_name(v->sites, part->send_site),
             mm_site_name(v->sites, part->recv_site));
    printf("%11.6f %4d >%4d %5d %9s %9s %9s %9s  %.29s\n",
           mm_messages_common_ns(v->messages, part->dst, part->recv->t_end, NULL) / 1e9,
           part->src, part->dst, part->send->tag, mm_thousands(part->send->bytes),
           mm_amount(part->times->latency / 1e3),
           mm_amount(part->times->late_sender / 1e3),
           mm_amount(part->times->late_receiver / 1e3), mm_safe(name));
}

static int on_part(void *context, const struct mm_message_part *part)
{
    struct records *r = context;
    json_t *row;

    if (!part->send || !messages_takes(r->verb, part))
        return 0;
    r->printed++;
    if (r->verb->form == FORM_TEXT && r->printed > r->verb->limit)
        return 0;
    if (!part->times->suspect)
        mm_message_sums_add(&r->verb->all, &part->sums);
    if (r->verb->form == FORM_TEXT) {
        print_line(r->verb, part);
        return 0;
    }
    row = record_json(r->verb, part);
    if (r->verb->form == FORM_CSV) {
        messages_row(r->verb, row);
        return 0;
    }
    fputs(r->printed > 1 ? ",\n" : "\n", stdout);
    if (json_dumpf(row, stdout, JSON_REAL_PRECISION(12)) && !ferror(stdout)) {
        json_decref(row);
        return cca_no_memory(&r->verb->err);
    }
    json_decref(row);
    return 0;
}

/* Print the document's other members after the records. */
static int end_json(struct messages_verb *verb)
{
    json_t *document = messages_document(verb);
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(12));

    json_decref(document);
    if (!text)
        return mm_no_memory();
    printf("\n],%s\n", text + 1); /* skip the opening brace */
    free(text);
    return mm_finish_output(MM_EXIT_DONE);
}

int messages_records_view(struct messages_verb *verb)
{
    struct records r = {.verb = verb};
    int code;

    if (verb->form == FORM_TEXT)
        printf("%11s %4s  %4s %5s %9s %9s %9s %9s  %s\n", "end s", "from", "to", "tag",
               "bytes", "lat. us", "sender", "receiver", "callsites");
    if (verb->form == FORM_JSON)
        fputs("{\"records\": [", stdout);
    messages_csv_head(verb);
    code =
        mm_messages_parts(verb->messages, 1, 0, on_part, &r, &verb->joined, &verb->err);
    if (code)
        return mm_complain(&verb->err);
    if (verb->form == FORM_JSON)
        return end_json(verb);
    if (verb->form == FORM_TEXT) {
        if (r.printed > verb->limit)
            printf(" ... %s left out (--limit, --csv and --json have all)\n",
                   mm_counted(r.printed - verb->limit, "record"));
        messages_print_head(verb);
        if (!r.printed)
            puts("no single messages: WRITE and via=files keep them");
        messages_print_notes(verb);
    }
    return -1;
}
