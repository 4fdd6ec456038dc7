/* SPDX-License-Identifier: BSD-3-Clause */
/* head.c: the run as a whole: sampling request, exact counts, losses, clocks. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mastermind/cmd/messages/messages_verb.h"

static uint64_t count_dropped(const struct mm_messages *m)
{
    return m->counts[MM_MESSAGES_DROPPED_POOL] + m->counts[MM_MESSAGES_DROPPED_RING] +
           m->counts[MM_MESSAGES_DROPPED_LIMIT] + m->counts[MM_MESSAGES_DROPPED_ORDER] +
           m->counts[MM_MESSAGES_DROPPED_FOREIGN];
}

static uint64_t count_joined(const struct messages_verb *v)
{
    return v->messages->counts[MM_MESSAGES_JOINED] + v->joined.joined;
}

static uint64_t count_unverified(const struct messages_verb *v)
{
    return v->messages->counts[MM_MESSAGES_UNVERIFIED] + v->joined.unverified;
}

uint64_t messages_lost(const struct messages_verb *v)
{
    const uint64_t *counts = v->messages->counts;
    uint64_t joined = count_joined(v);

    return count_dropped(v->messages) + count_unverified(v) +
           counts[MM_MESSAGES_MISMATCHED] + counts[MM_MESSAGES_SUSPECT] +
           v->joined.mismatched + v->joined.suspect + v->joined.half +
           (joined < counts[MM_MESSAGES_SAMPLED] ? counts[MM_MESSAGES_SAMPLED] - joined
                                                 : 0) +
           (uint64_t)(v->messages->processes - v->messages->present);
}

double messages_population(const struct messages_verb *v)
{
    const struct mm_messages *m = v->messages;
    const struct mm_message_request *r = &m->request;

    if (v->from || v->to || r->min_bytes > 0 || *r->site || *r->method ||
        m->counts[MM_MESSAGES_FILTERED] || m->present < m->processes)
        return 0;
    return (double)m->counts[MM_MESSAGES_SENT];
}

/* Write "one node, tsc", "3 nodes, clocks within 0.31 us". */
static void write_clock(const struct mm_messages *m, char *text, size_t size)
{
    const char *clock = m->flags & MM_MESSAGES_TSC ? "tsc" : "CLOCK_MONOTONIC";

    if (m->nodes == 1)
        snprintf(text, size, "one node, %s", clock);
    else if (m->no_points)
        snprintf(text, size, "%zu nodes, %s, %s not compared", m->nodes, clock,
                 mm_counted((uint64_t)m->no_points, "clock"));
    else
        snprintf(text, size, "%zu nodes, %s, clocks within %s", m->nodes, clock,
                 mm_time(m->bound_ns));
}

/* --- Lines of at most 98 characters ------------------------------------------------ */

void messages_print_wrapped(const char *words)
{
    int column = 0;

    while (*words) {
        int length = (int)strcspn(words, " ");

        if (column && column + 1 + length > 98) {
            fputs("\n   ", stdout);
            column = 3;
        }
        column += printf("%s%.*s", column ? " " : "", length, words);
        words += length;
        words += strspn(words, " ");
    }
    putchar('\n');
}

void messages_print_head(const struct messages_verb *v)
{
    const struct mm_messages *m = v->messages;
    uint64_t sampled = m->counts[MM_MESSAGES_SAMPLED], joined = count_joined(v);
    char clock[200], line[1200], how[100];

    write_clock(m, clock, sizeof clock);
    if (m->entries[MM_MESSAGES_HALVES] &&
        (v->view == VIEW_CHANNELS || v->view == VIEW_COLLECTIVES))
        snprintf(how, sizeof how, "records in files are not joined");
    else if (joined == sampled && !m->counts[MM_MESSAGES_MISMATCHED] &&
             !v->joined.mismatched)
        snprintf(how, sizeof how, "all joined");
    else
        snprintf(how, sizeof how, "%s joined", mm_thousands(joined));
    snprintf(line, sizeof line, "%s: %s, %s sampled, %s; %s%s dropped, %s unverified; %s",
             mm_safe(m->request_text), mm_counted(m->counts[MM_MESSAGES_SENT], "message"),
             mm_thousands(sampled), how, mm_thousands(count_dropped(m)),
             count_dropped(m) ? " records" : "", /* both ends of a message count their
                                                  * records */
             mm_thousands(count_unverified(v)), clock);
    messages_print_wrapped(line);
}

/* --- Notes ------------------------------------------------------------------------- */

static void note(struct mm_notes *notes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note(struct mm_notes *notes, const char *format, ...)
{
    char text[600];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (mm_notes_add(notes, "%s", text))
        mm_no_memory();
}

static void note_losses(struct mm_notes *notes, const struct messages_verb *v)
{
    static const struct {
        int count;
        const char *words;
    } losses[] = {
        {MM_MESSAGES_DROPPED_POOL,
         "dropped: no free buffer or slot for the sender's record"},
        {MM_MESSAGES_DROPPED_RING,
         "dropped: too many records waited for their counterpart"},
        {MM_MESSAGES_DROPPED_LIMIT, "dropped: the file's limit of size, or a full disk"},
        {MM_MESSAGES_DROPPED_ORDER,
         "dropped: two threads at once on a channel, or MPI_Startall of two"},
        {MM_MESSAGES_DROPPED_FOREIGN, "dropped: to or from another job"},
        {MM_MESSAGES_FOLDED, "in the class of all others: the table of classes was full"},
        {MM_MESSAGES_MISMATCHED,
         "left out: their two records differ in bytes or channel"},
        {MM_MESSAGES_SUSPECT,
         "left out: received before they were sent, by more than the clocks' bound"},
        {MM_MESSAGES_FILTERED, "not taken: min=, site=, method=, or recording was off"}};

    const struct mm_messages *m = v->messages;
    uint64_t sampled = m->counts[MM_MESSAGES_SAMPLED], joined = count_joined(v);

    if (m->live && joined < sampled)
        note(notes,
             "%s not joined: a process was killed, or is running, before both records "
             "arrived",
             mm_counted(sampled - joined, "sample"));
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        uint64_t count = v->messages->counts[losses[i].count];

        count += losses[i].count == MM_MESSAGES_MISMATCHED ? v->joined.mismatched : 0;
        count += losses[i].count == MM_MESSAGES_SUSPECT ? v->joined.suspect : 0;
        if (count)
            note(notes, "%s %s", mm_counted(count, "sample"), losses[i].words);
    }
    if (v->messages->counts[MM_MESSAGES_HALF] + v->joined.half)
        note(notes, "%s: the receiver's record has not arrived",
             mm_counted(v->messages->counts[MM_MESSAGES_HALF] + v->joined.half,
                        "incomplete sample"));
    if (v->messages->counts[MM_MESSAGES_UNKNOWN_COMM])
        note(notes, "%s on communicators that were not followed: not counted",
             mm_counted(v->messages->counts[MM_MESSAGES_UNKNOWN_COMM], "operation"));
}

static void note_channels(struct mm_notes *notes, const struct mm_messages *m)
{
    static const struct {
        uint32_t flag;
        const char *words;
    } reasons[] = {{MM_CHANNEL_FREED, "an active receive was freed"},
                   {MM_CHANNEL_FAILED, "a call returned an error"},
                   {MM_CHANNEL_CANCELLED, "a send was cancelled"},
                   {MM_CHANNEL_UNSEEN, "a call was not seen"},
                   {MM_CHANNEL_COUNTS, "both ends counted different numbers"}};

    for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++) {
        uint64_t count = 0;

        for (size_t i = 0; i < m->unverified_count; i++)
            count += (m->unverified[i].flags & reasons[r].flag) != 0;
        if (count)
            note(notes, "%s unverified: %s", mm_counted(count, "channel"),
                 reasons[r].words);
    }
}

static void note_missing(struct mm_notes *notes, const struct mm_messages *m)
{
    char ranks[100] = "";
    size_t used = 0;
    int missing = m->processes - m->present, printed = 0;

    if (!missing)
        return;
    for (int i = 0; i < m->processes && printed < 8; i++)
        if (!m->process[i].present)
            used += (size_t)snprintf(ranks + used, sizeof ranks - used, "%s%d",
                                     printed++ ? ", " : "", i);
    note(notes, "rank%s %s%s left no messages: counts of %s are missing",
         missing == 1 ? "" : "s", ranks,
         missing > printed ? ", ... have"
         : missing == 1    ? " has"
                           : " have",
         missing == 1 ? "its sends" : "their sends");
}

/* Write a count with its noun: "1 class", "2 classes". */
static const char *counted_as(uint64_t count, const char *one, const char *many)
{
    static char text[2][64];
    static unsigned at;

    snprintf(text[++at % 2], sizeof text[0], "%s %s", mm_thousands(count),
             count == 1 ? one : many);
    return text[at % 2];
}

static void note_odd(struct mm_notes *notes, const struct messages_verb *v)
{
    const struct mm_messages *m = v->messages;
    uint64_t left = 0;

    for (int i = 0; i < MM_MESSAGES_TYPES; i++)
        left += i == MM_MESSAGES_CLASSES || i == MM_MESSAGES_RECORDS ||
                        i == MM_MESSAGES_HALVES || i == MM_MESSAGES_COLLECTIVES
                    ? v->joined.odd.left[i]
                    : m->odd.left[i];
    if (left)
        note(notes, "%s without a good check %s left out: the process was writing",
             counted_as(left, "entry", "entries"), left == 1 ? "is" : "are");
    if (v->joined.odd.torn)
        note(notes,
             "%s may lack its last sample in some numbers: the process was adding it",
             counted_as(v->joined.odd.torn, "class", "classes"));
    if (m->live)
        note(
            notes,
            "%d of %d processes did not end in order (killed, or still running): results "
            "are up to that point",
            m->live, m->present);
    if (m->f08)
        note(notes,
             "the program has mpi_f08, whose calls are not seen in %s: its messages are "
             "missing",
             counted_as((uint64_t)m->f08, "process", "processes"));
    if (m->flags & MM_MESSAGES_OTHER_PMPI)
        note(notes,
             "another profiling library of MPI is in the program: its own messages "
             "may be among these, or calls may pass unseen");
}

static void collect_notes(struct mm_notes *notes, const struct messages_verb *v)
{
    note_losses(notes, v);
    note_channels(notes, v->messages);
    note_missing(notes, v->messages);
    note_odd(notes, v);
}

void messages_print_notes(const struct messages_verb *v)
{
    struct mm_notes notes = {0};

    collect_notes(&notes, v);
    for (size_t i = 0; i < notes.count; i++)
        messages_print_wrapped(notes.items[i]);
    mm_notes_done(&notes);
}

/* --- JSON -------------------------------------------------------------------------- */

static json_t *counts_json(const struct messages_verb *v)
{
    static const char *const names[] = {
        [MM_MESSAGES_SENT] = "sent",
        [MM_MESSAGES_RECEIVED] = "received",
        [MM_MESSAGES_SAMPLED] = "sampled",
        [MM_MESSAGES_FILTERED] = "filtered",
        [MM_MESSAGES_JOINED] = "joined",
        [MM_MESSAGES_FOLDED] = "folded",
        [MM_MESSAGES_DROPPED_POOL] = "dropped_pool",
        [MM_MESSAGES_DROPPED_RING] = "dropped_ring",
        [MM_MESSAGES_DROPPED_LIMIT] = "dropped_limit",
        [MM_MESSAGES_DROPPED_ORDER] = "dropped_order",
        [MM_MESSAGES_DROPPED_FOREIGN] = "dropped_foreign",
        [MM_MESSAGES_HALF] = "half",
        [MM_MESSAGES_UNVERIFIED] = "unverified",
        [MM_MESSAGES_MISMATCHED] = "mismatched",
        [MM_MESSAGES_SUSPECT] = "suspect",
        [MM_MESSAGES_UNKNOWN_COMM] = "unknown_comm",
        [MM_MESSAGES_COLLECTIVES_COUNTED] = "collectives_counted",
        [MM_MESSAGES_COLLECTIVES_SAMPLED] = "collectives_sampled",
        [MM_MESSAGES_BATCHES] = "batches",
        [MM_MESSAGES_UNANSWERED] = "unanswered"};
    const uint64_t here[MM_MESSAGES_COUNTS] = {
        [MM_MESSAGES_JOINED] = v->joined.joined,
        [MM_MESSAGES_HALF] = v->joined.half,
        [MM_MESSAGES_UNVERIFIED] = v->joined.unverified,
        [MM_MESSAGES_MISMATCHED] = v->joined.mismatched,
        [MM_MESSAGES_SUSPECT] = v->joined.suspect,
        [MM_MESSAGES_UNANSWERED] = v->joined.unanswered};
    json_t *counts = json_object();

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mm_json_put(
            counts, names[i],
            json_integer((json_int_t)v->messages->counts[i] + (json_int_t)here[i]));
    mm_json_set(counts, "torn unverified_channels", (json_int_t)v->joined.odd.torn,
                (json_int_t)v->messages->unverified_count);
    return counts;
}

json_t *messages_document(const struct messages_verb *v)
{
    const struct mm_messages *m = v->messages;
    json_t *document = mm_json_document("messages"), *totals = json_object();
    struct mm_notes notes = {0};
    const struct {
        const char *name;
        const struct mm_messages_sum *sum;
    } sums[] = {{"late_sender", &v->all.late_sender},
                {"late_receiver", &v->all.late_receiver},
                {"transfer", &v->all.transfer}};
    double population = messages_population(v);
    char seed[32];

    snprintf(seed, sizeof seed, "%llu", (unsigned long long)m->seed);
    mm_json_set(document,
                "experiment request seed processes processes_missing processes_live "
                "nodes clock clock_bound_ns counts",
                v->experiment->name, m->request_text, seed, m->processes,
                m->processes - m->present, m->live, (json_int_t)m->nodes,
                m->flags & MM_MESSAGES_TSC ? "tsc" : "CLOCK_MONOTONIC", m->bound_ns,
                counts_json(v));
    if (v->all.count) {
        mm_json_put(totals, "samples", json_integer((json_int_t)v->all.count));
        for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
            messages_put_estimate(
                totals, sums[i].name,
                population > 0 ? mm_estimate_ratio(&v->all, sums[i].sum, population)
                               : mm_estimate_total(&v->all, sums[i].sum));
        mm_json_put(document, "totals", totals);
    } else {
        json_decref(totals);
    }
    collect_notes(&notes, v);
    mm_json_put(document, "notes", mm_json_notes(&notes, NULL));
    mm_notes_done(&notes);
    return document;
}
