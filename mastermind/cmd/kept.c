/* SPDX-License-Identifier: BSD-3-Clause */
/* kept.c: report invocations that were aggregated or lost. */
#include "mastermind/cmd/kept.h"

#include <stdio.h>

/* share of the wall time from which on a note names the host's part */
#define MUCH_HOST .5

int mm_kept_read(struct mm_kept *kept, const struct mm_experiment *experiment,
                 const struct mm_dual *dual, struct cca_error *err)
{
    *kept = (struct mm_kept){.experiment = experiment};
    if (dual) {
        kept->rows = dual->rows;
        kept->folded = dual->folded;
        kept->sampled = dual->sampled;
        kept->other = dual->other;
        kept->orphans = dual->vertices[dual->lost_vertex].subrs;
        for (size_t i = 0; i < dual->thread_vertex; i++) {
            kept->clock_back += dual->vertices[i].clock_back;
            kept->bare +=
                dual->vertices[i].folded > 0 && dual->vertices[i].method->value_count >
                                                    dual->vertices[i].method->in_count;
        }
    }
    return mm_experiment_losses(experiment, &kept->losses, err);
}

static const char *were(uint64_t count)
{
    return count == 1 ? "was" : "were";
}

/* Add a note like "1,200 of 5,000 invocations are kept as aggregates (storage
 * auto:20)". */
static int note_aggregates(struct mm_notes *notes, const char *who,
                           const struct mm_kept *kept)
{
    const char *storage = kept->experiment->storage;
    int64_t limit = kept->experiment->size_limit;
    char how[160] = "";
    size_t used = 0;

    if (storage)
        used = (size_t)snprintf(how, sizeof how, " (storage %.40s", mm_safe(storage));
    if (storage && limit > 0)
        used += (size_t)snprintf(
            how + used, sizeof how - used, ", size limit of %s bytes%s",
            mm_thousands((uint64_t)limit), kept->losses.limited ? " reached" : "");
    if (storage)
        snprintf(how + used, sizeof how - used, ")");
    return mm_notes_add(notes, "%s%s of %s %s kept as aggregates%s", who,
                        mm_thousands(kept->folded),
                        mm_counted(kept->folded + kept->rows, "invocation"),
                        kept->folded == 1 ? "is" : "are", how);
}

int mm_kept_note(struct mm_notes *notes, const char *who, const struct mm_kept *kept)
{
    const struct mm_losses *losses = &kept->losses;
    int code = 0;

    if (kept->folded)
        code = note_aggregates(notes, who, kept);
    if (!code && kept->bare)
        code = mm_notes_add(notes, "%sthese keep no out-parameters", who);
    if (!code && kept->sampled)
        code = mm_notes_add(notes, "%s%s of these %s a row as a sample", who,
                            mm_thousands(kept->sampled),
                            kept->sampled == 1 ? "has" : "have");
    if (!code && kept->other)
        code =
            mm_notes_add(notes,
                         "%s%s of these had too many different values%s to be kept "
                         "apart",
                         who, mm_thousands(kept->other),
                         losses->limited ? ", or the size limit too little room," : "");
    if (!code && losses->dropped)
        code = mm_notes_add(notes, "%s%s %s not kept", who,
                            mm_counted(losses->dropped, "invocation"),
                            were(losses->dropped));
    if (!code && kept->orphans)
        code = mm_notes_add(notes, "%s%s %s a caller that was not kept", who,
                            mm_counted(kept->orphans, "call"),
                            kept->orphans == 1 ? "names" : "name");
    if (!code && losses->nested)
        code = mm_notes_add(notes, "%s%s from signal handlers %s not recorded", who,
                            mm_counted(losses->nested, "call"), were(losses->nested));
    if (!code && losses->gos_off)
        code = mm_notes_add(
            notes, "%srecording was switched off for %s: their calls are missing", who,
            mm_counted(losses->gos_off, "go"));
    return code;
}

const char *mm_kept_end(const struct mm_experiment *experiment)
{
    return experiment->ended_by ? mm_safe(experiment->ended_by)
                                : "killed, or it is still running";
}

int mm_kept_note_end(struct mm_notes *notes, const char *who, const struct mm_kept *kept)
{
    int code = 0;

    if (kept->clock_back)
        code = mm_notes_add(notes, "%sthe clock went back in %s, which %s as no time",
                            who, mm_counted(kept->clock_back, "call"),
                            kept->clock_back == 1 ? "counts" : "count");
    if (!code && kept->experiment->delay_scale > 1)
        code = mm_notes_add(notes,
                            "%scalls were delayed, as of mastermind whatif --run: costs "
                            "are not those of the program",
                            who);
    if (!code && !kept->experiment->finished)
        code = mm_notes_add(notes,
                            "%sthis run did not end in order (%s): results are up to "
                            "that point",
                            who, mm_kept_end(kept->experiment));
    return code;
}

void mm_kept_put(json_t *document, const struct mm_kept *kept)
{
    mm_json_set(document,
                "rows aggregated sampled other_keys dropped nested clock_back "
                "size_limit_reached gos_not_recorded",
                (json_int_t)kept->rows, (json_int_t)kept->folded,
                (json_int_t)kept->sampled, (json_int_t)kept->other,
                (json_int_t)kept->losses.dropped, (json_int_t)kept->losses.nested,
                (json_int_t)kept->clock_back, json_boolean(kept->losses.limited > 0),
                (json_int_t)kept->losses.gos_off);
}

int mm_kept_note_input(struct mm_notes *notes, const struct mm_input *input,
                       struct cca_error *err)
{
    for (size_t i = 0; i < input->count; i++) {
        const struct mm_experiment *experiment = input->experiments[i];
        struct mm_kept kept;
        char who[300];

        snprintf(who, sizeof who, "%.290s: ", experiment->name);
        if (mm_kept_read(&kept, experiment, input->profiles[i]->dual, err))
            return err->code;
        if (mm_kept_note(notes, who, &kept) || mm_kept_note_end(notes, who, &kept))
            return cca_no_memory(err);
    }
    return 0;
}

int mm_kept_note_host(struct mm_notes *notes, const struct mm_input *input)
{
    double host = 0, all = 0;

    for (size_t i = 0; i < input->count && input->profiles[i]->dual; i++) {
        const struct mm_dual *dual = input->profiles[i]->dual;

        host += (double)dual->off.host_ns;
        all += (double)(dual->total_ns + dual->off.host_ns);
    }
    return input->metric.kind == MM_METRIC_TIME && host > MUCH_HOST * all
               ? mm_notes_add(notes,
                              "the host took %s of the wall time of these runs: on a "
                              "quieter one a run may cost less than its interval",
                              mm_percent(host / all))
               : 0;
}
