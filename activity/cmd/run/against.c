/* SPDX-License-Identifier: BSD-3-Clause */
/* against.c: simulated times beside measured ones: the columns of Pllana's Table 5.1, and
 * the source of each measured time. Error = |T_s - T_m| / T_m (Section 5). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "activity/cmd/run/run_verb.h"
#include "common/array.h"
#include "mastermind/csv/csv.h"

/* --- Reading. --- */

static int read_line(const struct mm_csv *csv, const int columns[3],
                     struct run_measured *m, struct cca_error *err)
{
    const struct mm_csv_field *config = &csv->fields[columns[0]];
    struct cca_error why = {0};
    char text[80];

    snprintf(text, sizeof text, "%.*s", (int)(config->length < 79 ? config->length : 79),
             config->at);
    if (act_configs_read(text, &m->config, 1, &why) != 1)
        return mm_csv_refuse(csv, (size_t)columns[0], "a configuration such as N2P8",
                             err);
    if (!mm_csv_number(&csv->fields[columns[1]], &m->measured_s) || !(m->measured_s > 0))
        return mm_csv_refuse(csv, (size_t)columns[1], "seconds above 0", err);
    if (columns[2] >= 0)
        mm_csv_shown(&csv->fields[columns[2]], m->source, sizeof m->source);
    return 0;
}

static int read_all(struct run_asked *asked, struct mm_csv *csv, struct cca_error *err)
{
    const int columns[3] = {mm_csv_column(csv, "config"),
                            mm_csv_column(csv, "measured_s"),
                            mm_csv_column(csv, "source")};
    size_t count = 0;
    int found, rc = 0;

    if (columns[0] < 0 || columns[1] < 0)
        return mm_csv_no_column(csv, columns[0] < 0 ? "config" : "measured_s", err);
    while (!rc && (found = mm_csv_next(csv, 0, err)) == MM_CSV_LINE) {
        struct run_measured *m = cca_array_add(&asked->measured, &count, sizeof *m);

        rc = m ? read_line(csv, columns, m, err) : cca_no_memory(err);
    }
    asked->measured_count = (int)count;
    rc = rc ? rc : found < 0 ? found : 0;
    if (!rc && count > RUN_CONFIGS)
        rc = cca_error_set(err, -EINVAL, "%s: found %zu lines, expected at most %d",
                           asked->against, count, RUN_CONFIGS);
    return rc;
}

/* Read the file of --against. Without --config, its configurations are simulated. */
int run_against_read(struct run_asked *asked, struct cca_error *err)
{
    struct mm_csv csv;
    int rc = mm_csv_open(&csv, asked->against, err);

    rc = rc ? rc : read_all(asked, &csv, err);
    mm_csv_done(&csv);
    if (rc == -EBADMSG)
        err->code = -EINVAL;
    if (asked->config_count || rc)
        return rc;
    for (int i = 0; i < asked->measured_count; i++)
        asked->configs[asked->config_count++] = asked->measured[i].config;
    return rc;
}

const struct run_measured *run_measured_of(const struct run_asked *asked,
                                           const struct act_config *config)
{
    for (int i = 0; i < asked->measured_count; i++) {
        const struct act_config *c = &asked->measured[i].config;

        if (c->nodes == config->nodes && c->processes == config->processes &&
            c->threads == config->threads)
            return &asked->measured[i];
    }
    return NULL;
}

/* --- Printing. --- */

const char *run_config_text(const struct act_config *c, char *text, size_t size)
{
    int used = snprintf(text, size, "N%" PRId64 "P%" PRId64, c->nodes, c->processes);

    if (c->threads)
        snprintf(text + used, size - (size_t)used, "T%" PRId64, c->threads);
    return text;
}

/* Print a ratio as "26,400"; a small or very large ratio with fewer digits. */
static void say_ratio(double ratio, char *text, size_t size)
{
    char digits[64];
    int length, used = 0;

    if (!(ratio < 1e12)) {
        snprintf(text, size, "%.3g", ratio);
        return;
    }
    length = snprintf(digits, sizeof digits, "%.0f", ratio);
    for (int i = 0; i < length && used + 2 < (int)size; i++) {
        if (i && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

int run_print_against(const struct run_asked *asked, const struct act_model *model,
                      const struct run_found *found)
{
    double sum = 0, worst = 0;
    char config[64], ratio[80], error[32];
    int compared = 0;

    printf("%s\n%-12s  %12s  %12s  %10s  %16s  %8s  %s\n", model->name, "", "T_s [s]",
           "T_m [s]", "T_e [s]", "T_m/T_e", "error %", "source of T_m");
    for (int i = 0; i < asked->config_count; i++) {
        const struct run_measured *m = run_measured_of(asked, &found[i].config);
        double s = found[i].result.makespan_s, e = found[i].evaluated_s;

        run_config_text(&found[i].config, config, sizeof config);
        if (!m) {
            printf("%-12s  %12.6g  %12s  %10.2g  %16s  %8s\n", config, s, "-", e, "-",
                   "-");
            continue;
        }
        say_ratio(m->measured_s / e, ratio, sizeof ratio);
        snprintf(error, sizeof error, "%.1f",
                 100 * fabs(s - m->measured_s) / m->measured_s);
        printf("%-12s  %12.6g  %12.6g  %10.2g  %16s  %8s  %s\n", config, s, m->measured_s,
               e, ratio, error, m->source);
        sum += 100 * fabs(s - m->measured_s) / m->measured_s;
        worst = fmax(worst, 100 * fabs(s - m->measured_s) / m->measured_s);
        compared++;
    }
    if (compared)
        printf("error: mean %.1f %%, worst %.1f %%, of %d configurations\n",
               sum / compared, worst, compared);
    return act_finish_output(ACT_EXIT_DONE);
}
