/* SPDX-License-Identifier: BSD-3-Clause */
/* report_host.c: wall time, the host's share and waiting, in addition to own time. */
#include "mastermind/cmd/report/report.h"

#define MUCH .02 /* share of wall time from which on the host's time gets a column */

int mm_report_knows_host(const struct report *report)
{
    return mm_report_is_own(report) && report->experiment->has_losses;
}

double mm_report_host_share(const struct mm_off_core *off, int64_t own_ns)
{
    int64_t wall_ns = own_ns + off->host_ns;

    return wall_ns > 0 ? (double)off->host_ns / (double)wall_ns : 0;
}

int mm_report_shows_host(const struct report *report)
{
    return mm_report_knows_host(report) && !report->by_subrs &&
           mm_report_host_share(&report->dual->off, report->dual->total_ns) >= MUCH;
}

void mm_report_print_host(const struct report *report)
{
    const struct mm_dual *dual = report->dual;

    if (!mm_report_is_own(report) || report->experiment->origin)
        return;
    if (!report->experiment->has_losses) {
        puts("this run has no record of the time taken by the host: times are wall time");
        return;
    }
    printf("own time %s; wall %s, of which the host took %s",
           mm_time((double)dual->total_ns),
           mm_time((double)(dual->total_ns + dual->off.host_ns)),
           mm_time((double)dual->off.host_ns));
    printf("; %s of own time was waiting\n", mm_time((double)dual->off.wait_ns));
    if (dual->off_unknown)
        printf("%s have no record of the time taken by the host: their wall time "
               "counts\n",
               mm_counted(dual->off_unknown, "call"));
}

void mm_report_put_host(const struct report *report, json_t *document)
{
    const struct mm_dual *dual = report->dual;

    if (!mm_report_knows_host(report))
        return;
    mm_json_set(document, "wall_ns host_ns wait_ns", dual->total_ns + dual->off.host_ns,
                dual->off.host_ns, dual->off.wait_ns);
}
