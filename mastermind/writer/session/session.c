/* SPDX-License-Identifier: BSD-3-Clause */
/* session.c: start, describe and end an experiment. */
#include "mastermind/writer/session/session.h"

#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "mastermind/writer/json_file.h"
#include "mastermind/writer/messages.h"
#include "mastermind/writer/parts.h"
#include "mastermind/writer/openmp.h"

/* --- Starting ------------------------------------------------------------- */

int mm_session_store(struct mm_session *session, const char *storage, const char *limit,
                     struct cca_error *err)
{
    int result = mm_storage_parse(storage && *storage ? storage : MM_STORAGE_DEFAULT,
                                  &session->storage, err);

    return result ? result
                  : mm_storage_parse_limit(limit ? limit : "", &session->storage, err);
}

int mm_session_describe(struct mm_session *session, const char *script,
                        const char *command, struct measurement_port *measurement,
                        struct cca_error *err)
{
    if (!session->start_ns)
        session->start_ns = cca_clock_ns(CLOCK_MONOTONIC);
    session->about = mm_about_new(script, command, measurement, &session->storage);
    if (!session->about ||
        mm_about_update(session->about, session->recorder, session->wiring.measured) ||
        json_object_set_new(session->about, "rank", json_integer(session->rank)) ||
        json_object_set_new(session->about, "ranks", json_integer(session->ranks)))
        return cca_no_memory(err);
    return 0;
}

/* Write experiment.json for the whole run and rank 0, or rank.json into another rank's
 * folder. */
static int write_about(const struct mm_session *session, struct cca_error *err)
{
    return session->rank ? mm_json_replace(session->directory.rank_path, "rank.json",
                                           session->about, err)
                         : mm_json_replace(session->directory.path, "experiment.json",
                                           session->about, err);
}

int mm_session_update(struct mm_session *session, struct cca_error *err)
{
    return mm_about_update(session->about, session->recorder, session->wiring.measured)
               ? cca_no_memory(err)
               : write_about(session, err);
}

static void report_lost(struct mm_session *session, int result, const char *what)
{
    struct cca_error err = {0};

    if (!result)
        return;
    cca_error_set(&err, result, "%s", strerror(-result));
    session->report(session->context, what, &err);
}

void mm_session_keep_mpi(struct mm_session *session)
{
    report_lost(session, mm_mpi_calls_keep(session->mpi, session->directory.rank_path),
                "calls of MPI would be lost with the process");
}

int mm_session_begin(struct mm_session *session, int counter_count, struct cca_error *err)
{
    const char *folder = session->directory.rank_path;
    int result = mm_methods_start(&session->methods, folder, err);

    if (!result)
        result = write_about(session, err);
    return result ? result
                  : mm_recorder_place(session->recorder, folder, counter_count, err);
}

int mm_session_start(struct mm_session *session, int counter_count, struct cca_error *err)
{
    const char *folder = session->directory.rank_path;
    int result = mm_session_begin(session, counter_count, err);

    if (result)
        return result;
    mm_session_keep_mpi(session);
    report_lost(session, mm_messages_keep(folder, session->recorder),
                "sampled messages would be lost with the process");
    report_lost(session, mm_openmp_keep(folder),
                "regions of OpenMP would be lost with the process");
    return 0;
}

/* --- The end -------------------------------------------------------------- */

int mm_session_close(struct mm_session *session, struct mm_session_end *end,
                     struct cca_error *err)
{
    int64_t files_ns;
    int result;

    end->wall_ns = cca_clock_ns(CLOCK_MONOTONIC) - session->start_ns;
    end->start_ns = mm_cost_thread_ns();
    mm_recorder_stats(session->recorder, &end->stats);
    files_ns = end->stats.files_ns;
    mm_messages_leave(session->recorder);
    result = mm_recorder_close(session->recorder, err);
    mm_recorder_stats(session->recorder, &end->stats);
    end->start_ns += end->stats.files_ns - files_ns;
    return result;
}

int mm_session_finish(struct mm_session *session, enum mm_entry_kind entry,
                      struct mm_session_end *end, struct cca_error *err)
{
    int result = 0, written;

    session->setup_ns += mm_cost_thread_ns() - end->start_ns;
    end->cost = mm_cost_now(&end->stats, entry, session->setup_ns, session->mpi);
    if (mm_about_finish(session->about, &end->stats, &end->cost, end->wall_ns))
        result = cca_no_memory(err);
    written = mm_session_update(session, err);
    if (!written)
        mm_mpi_calls_remove(session->directory.rank_path);
    return result ? result : written;
}

void mm_session_done(struct mm_session *session)
{
    mm_methods_done(&session->methods);
    mm_directory_done(&session->directory);
    json_decref(session->about);
    session->about = NULL;
}
