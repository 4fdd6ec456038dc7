/* SPDX-License-Identifier: BSD-3-Clause */
/* script.c: the messages of each process in an expanded collective, line by line:
 *
 *   barrier     dissemination (D. Hensgen, R. Finkel, U. Manber, 1988)
 *   bcast       binomial tree, the farthest child first; reduce: the same upwards
 *   allreduce   recursive doubling; if P is no power of two, the first processes exchange
 *               in pairs before and after it (R. Thakur, R. Rabenseifner, W. Gropp, 2005)
 *   alltoall    pairwise: in round k to pid + k, from pid - k */
#include "activity/run/engine_core.h"

static int write_line(struct act_line *line, int is_receive, int64_t peer)
{
    line->is_receive = is_receive;
    line->peer = (int32_t)peer;
    return 1;
}

/* The smallest power of two that is at least `count`. */
static int64_t power_above(int64_t count)
{
    int64_t power = 1;

    while (power < count)
        power *= 2;
    return power;
}

/* Line (message) of an algorithm in rounds; partners are 1, 2, 3 .. or (doubling) 1, 2, 4
 * .. processes away. */
static int circle(int64_t count, int64_t pid, int64_t number, int doubling,
                  struct act_line *line)
{
    int64_t round = number / 2, distance;

    if (doubling && round > 30)
        return 0;
    distance = doubling ? (int64_t)1 << round : round + 1;
    if (distance >= count)
        return 0;
    return write_line(line, number % 2 == 1,
                      (pid + (number % 2 ? count - distance : distance)) % count);
}

/* Line of a binomial tree. Processes are numbered from the root: the children of i are i
 * + k, with k = 1, 2, 4 .. below the lowest bit of i. */
static int tree(int64_t count, int64_t pid, int64_t root, int64_t number, int is_up,
                struct act_line *line)
{
    int64_t i = (pid + count - root) % count, low = i ? i & -i : power_above(count);
    int64_t parent_line = 0;

    if (!is_up && i > 0 && number-- == 0)
        return write_line(line, 1, (i - low + root) % count);
    for (int64_t k = 1; is_up && k < low; k *= 2)
        if (i + k < count && parent_line++ == number)
            return write_line(line, 1, (i + k + root) % count);
    for (int64_t k = low / 2; !is_up && k >= 1; k /= 2)
        if (i + k < count && number-- == 0)
            return write_line(line, 0, (i + k + root) % count);
    return is_up && i > 0 && number == parent_line
               ? write_line(line, 0, (i - low + root) % count)
               : 0;
}

/* The pid of participant `number` in recursive doubling: of each of the first pairs, the
 * second process takes part. */
static int64_t process_of(int64_t number, int64_t rest)
{
    return number < rest ? 2 * number + 1 : number + rest;
}

static int doubling(int64_t count, int64_t pid, int64_t number, struct act_line *line)
{
    int64_t above = power_above(count), power = above > count ? above / 2 : above,
            rest = count - power, rounds = 0;
    int is_pair = pid < 2 * rest, is_second = is_pair && pid % 2 == 1;

    if (is_pair && !is_second)
        return number < 2 ? write_line(line, number == 1, pid + 1) : 0;
    if (is_second && number-- == 0)
        return write_line(line, 1, pid - 1);
    while ((int64_t)1 << rounds < power)
        rounds++;
    if (number < 2 * rounds) {
        int64_t own = is_pair ? pid / 2 : pid - rest;

        return write_line(line, number % 2 == 1,
                          process_of(own ^ (int64_t)1 << number / 2, rest));
    }
    return is_second && number == 2 * rounds ? write_line(line, 0, pid - 1) : 0;
}

int act_script_line(enum act_kind kind, int64_t count, int64_t pid, int64_t root,
                    int64_t number, struct act_line *line)
{
    switch (kind) {
    case ACT_BCAST:
    case ACT_REDUCE:
        return tree(count, pid, root, number, kind == ACT_REDUCE, line);
    case ACT_ALLREDUCE:
        return doubling(count, pid, number, line);
    default:
        return circle(count, pid, number, kind == ACT_BARRIER, line);
    }
}
