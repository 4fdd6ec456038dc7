/* SPDX-License-Identifier: BSD-3-Clause */
/* trend.c: sums as trends, and the average of a trend's members. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "mastermind/counts/laws/sheet.h"
#include "common/statistics.h"
#include "mastermind/counts/laws/parts.h"

#define SUMS 8 /* number of sets of terms tried per number of terms */
/* largest difference in score between the worst and the best member of a trend */
#define LESS_LIKELY 8

/* Insert a member into the list of the members with the lowest scores. */
void mm_law_keep_member(struct mm_law_member *kept, size_t *count, size_t most,
                        const struct mm_law_member *member)
{
    size_t at = *count;

    while (at > 0 && kept[at - 1].score > member->score)
        at--;
    if (at == most)
        return;
    if (*count == most)
        --*count;
    memmove(kept + at + 1, kept + at, (*count - at) * sizeof *kept);
    kept[at] = *member;
    ++*count;
}

int mm_law_trend_offer(struct mm_law_trend *trend, const struct mm_law_data *data,
                       const struct mm_law_member *member)
{
    int is_steep = mm_law_member_is_steep(data, member);

    mm_law_keep_member(is_steep ? trend->steep : trend->member,
                       is_steep ? &trend->steep_count : &trend->count, MM_LAW_MEMBERS,
                       member);
    return is_steep;
}

/* True if a sum of positive counts has no negative coefficient, which would make it
 * negative somewhere. */
static int is_monotone(const struct mm_law_trend *trend,
                       const struct mm_law_member *member)
{
    for (size_t k = 0; trend->is_positive && k < member->columns; k++)
        if (member->a[k] < 0)
            return 0;
    return 1;
}

/* Number of a term's powers that were chosen to fit the runs; an exogenous count's power
 * 1 was not.
 */
static size_t chosen_powers(const struct mm_law_data *data, const struct mm_basis *basis)
{
    size_t chosen = 0;

    for (size_t f = 0; f < basis->factors; f++) {
        const struct mm_factor *factor = &basis->factor[f];
        const struct mm_law_variable *variable = &data->variable[factor->parameter];

        chosen += !data->is_driver[variable->axis] || factor->power != 1 || factor->logs;
    }
    return chosen;
}

/* True if the list has the set of terms already; its residual may differ by rounding. */
static int is_repeated(const struct mm_law_subset *subset, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (!memcmp(subset[i].term, subset[at].term, sizeof subset[i].term))
            return 1;
    return 0;
}

int mm_law_trend_sums(struct mm_law_trend *trend, const struct mm_law_data *data,
                      const struct mm_law_gram *gram, const struct mm_law_subset *subset,
                      size_t count)
{
    struct mm_law_sheet sheet;

    if (mm_law_sheet_init(&sheet, data) < 0)
        return -ENOMEM;
    for (size_t i = 0, tried = 0; i < count && tried < SUMS; i++) {
        struct mm_law_member member = {.is_sum = 1, .columns = subset[i].count};
        const struct mm_law_term *term[MM_LAW_TERMS];
        size_t chosen = 0;

        if (is_repeated(subset, i))
            continue;
        for (size_t k = 0; k < member.columns; k++) {
            term[k] = gram->term[subset[i].term[k]];
            member.basis[k] = term[k]->basis;
            chosen += chosen_powers(data, &member.basis[k]);
        }
        mm_law_sheet_sum(&sheet, &member, term, gram->weight);
        if (mm_law_sheet_fit(&sheet, &member, chosen, MM_LAW_PRICE_BIT * subset[i].bits,
                             1) < 0 ||
            !is_monotone(trend, &member))
            continue;
        tried += !mm_law_trend_offer(trend, data, &member);
    }
    mm_law_sheet_done(&sheet);
    return 0;
}

void mm_law_trend_end(struct mm_law_trend *trend)
{
    double sum = 0;
    size_t count = 0;

    mm_law_trend_prove(trend);
    for (; count < trend->count; count++) {
        double behind = trend->member[count].score - trend->member[0].score;

        if (behind > LESS_LIKELY)
            break;
        trend->member[count].weight = exp(-behind / 4);
        sum += trend->member[count].weight;
    }
    trend->count = count;
    for (size_t i = 0; i < count; i++)
        trend->member[i].weight /= sum;
}

static void member_row(const struct mm_law_member *member, const double *variables,
                       double *column, double *offset)
{
    *offset = 0;
    for (size_t k = 0; k < member->columns; k++) {
        if (member->is_sum)
            column[k] = mm_basis_value(&member->basis[k], variables);
        else
            column[k] =
                k ? mm_law_shape_value(member->shape[k], variables[member->variable[k]])
                  : 1;
    }
    for (size_t k = 0; k < member->fixed_count; k++)
        *offset += log(variables[member->fixed[k]]);
}

/* Value of a member of a trend and its half-width, both as logarithms for positive
 * counts. */
static int member_value(const struct mm_law_trend *trend,
                        const struct mm_law_member *member, const double *variables,
                        double *value, double *half)
{
    double column[MM_LAW_TERMS], offset, leverage = 0, sum = 0;

    member_row(member, variables, column, &offset);
    for (size_t a = 0; a < member->columns; a++) {
        sum += member->a[a] * column[a];
        for (size_t b = 0; b < member->columns; b++)
            leverage += column[a] * member->cov[a][b] * column[b];
    }
    sum += offset;
    if (!isfinite(sum) || (member->is_sum && trend->is_positive && sum <= 0))
        return -ERANGE;
    *half =
        cca_student_quantile(.95, (double)member->freedom) *
        sqrt(member->variance * (member->is_sum ? sum * sum + leverage : 1 + leverage));
    if (member->is_sum && trend->is_positive) {
        *half /= sum;
        sum = log(sum);
    }
    *value = sum;
    return 0;
}

int mm_law_trend_value(const struct mm_law_trend *trend, const double *variables,
                       struct mm_law_number *number)
{
    double weights = 0, mean = 0, square = 0, half[MM_LAW_MEMBERS], value[MM_LAW_MEMBERS];
    int valid[MM_LAW_MEMBERS];

    for (size_t i = 0; i < trend->count; i++) {
        const struct mm_law_member *member = &trend->member[i];

        valid[i] = member_value(trend, member, variables, &value[i], &half[i]) == 0;
        if (!valid[i])
            continue;
        weights += member->weight;
        mean += member->weight * value[i];
    }
    if (!(weights > 0))
        return -ERANGE;
    mean /= weights;
    for (size_t i = 0; i < trend->count; i++) {
        double apart = valid[i] ? value[i] - mean : 0;

        if (valid[i])
            square += trend->member[i].weight / weights *
                      (half[i] * half[i] + CCA_NORMAL_90 * CCA_NORMAL_90 * apart * apart);
    }
    *number = (struct mm_law_number){mean, mean - sqrt(square), mean + sqrt(square)};
    if (trend->is_positive)
        *number = (struct mm_law_number){exp(mean), exp(number->low), exp(number->high)};
    return 0;
}
