/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_search.c: the verb search, which makes runs until their properties are decided. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mastermind/cmd/search/search_verb.h"
#include "common/sort.h"
#include "mastermind/cmd/sweep/asked.h"

enum { BUDGET, RANKS, LAUNCHER, THRESHOLD, CONFIDENCE, SLURM, OUTPUT, WHY, JSON };

static const struct cca_option option_table[] = {
    [BUDGET] =
        {"--budget", "TIME",
         "start no run that would end after this much time of runs: 90s, 20m, 1.5h"},
    [RANKS] = {"--ranks", "N,...", "numbers of ranks (default 1)"},
    [LAUNCHER] = {"--launcher", "COMMAND",
                  "command that starts runs; %n is replaced by the number of ranks "
                  "(default with --ranks: mpirun -n %n)"},
    [THRESHOLD] = {"--threshold", "S", "of findings (default 0.05)"},
    [CONFIDENCE] = {"--confidence", "C",
                    "of sure findings, over all steps (default 0.8)"},
    [SLURM] = {"--slurm", NULL,
               "write job scripts and make no run; call again when they ended"},
    [OUTPUT] = {"--output", "DIR",
                "directory of the search; new, empty, or of this search", "-o"},
    [WHY] = {"--why", NULL, "print the causes of findings"},
    [JSON] = {"--json", NULL, "print one document, mastermind/search/1"},
};

static const double least_gain = .01; /* share of the run at stake below which no run is
                                       * made */

/* --- The request ------------------------------------------------------------------- */

static int read_ranks(struct search *search, const char *text)
{
    const char *all = text ? text : "1";
    size_t count = 1;

    for (const char *at = all; *at; at++)
        count += *at == ',';
    search->ranks = calloc(count, sizeof *search->ranks);
    if (!search->ranks)
        return mm_no_memory();
    for (const char *at = all; search->ranks_count < count;) {
        char *end;
        long ranks = strtol(at, &end, 10);

        if (end == at || ranks < 1 || ranks > 1000000 || (*end && *end != ','))
            return mm_refuse(MM_EXIT_MISUSE,
                             "'%s' for --ranks, expected numbers as 1,2,4", mm_safe(all));
        search->ranks[search->ranks_count++] = (int)ranks;
        at = *end ? end + 1 : end;
    }
    qsort(search->ranks, count, sizeof *search->ranks, cca_order_int32);
    return -1;
}

static int copy_command(struct search *search, char **words)
{
    size_t count = 0;

    while (words[count])
        count++;
    search->command = calloc(count + 1, sizeof *search->command);
    for (size_t i = 0; search->command && i < count; i++)
        if (!(search->command[i] = strdup(words[i])))
            return mm_no_memory();
    search->cwd = getcwd(NULL, 0);
    return search->command && search->cwd ? -1 : mm_no_memory();
}

static int read_new(struct search *search, const struct cca_given *options, char **words)
{
    const char *launcher = cca_given_value(&options[LAUNCHER]);
    int result = read_ranks(search, cca_given_value(&options[RANKS]));

    search->threshold = .05;
    search->confidence = .8;
    if (result < 0)
        result = mm_option_number(&options[THRESHOLD], 0, &search->threshold);
    if (result < 0)
        result = mm_option_number(&options[CONFIDENCE], 0, &search->confidence);
    if (result < 0 && search->confidence > 1)
        result = mm_refuse(MM_EXIT_MISUSE, "'%s' for --confidence, expected 0 to 1",
                           mm_safe(cca_given_value(&options[CONFIDENCE])));
    if (result < 0 && (launcher || options[RANKS].given) &&
        !(search->launcher = strdup(launcher ? launcher : "mpirun -n %n")))
        result = mm_no_memory();
    return result < 0 ? copy_command(search, words) : result;
}

static int read_asked(struct search *search, const struct cca_given *options,
                      char **words)
{
    int result;

    search->dir = cca_given_value(&options[OUTPUT]);
    search->slurm = options[SLURM].given;
    if (!search->dir)
        return mm_refuse(MM_EXIT_MISUSE,
                         "found no -o, expected the directory of the search");
    if (words && *words)
        result = read_new(search, options, words);
    else if (options[RANKS].given || options[LAUNCHER].given ||
             options[THRESHOLD].given || options[CONFIDENCE].given)
        result =
            mm_refuse(MM_EXIT_MISUSE, "found options and no command; expected search "
                                      "[options] -o DIR -- ccafe ... SCRIPT");
    else
        result = search_read_asked(search);
    return result < 0 ? search_command_check(search) : result;
}

/* --- Steps -------------------------------------------------------------------------- */

/* The finished runs, as input of the choice; `*count` is their number. */
static struct mm_search_run *runs_made(const struct search *search, size_t *count,
                                       double *seconds)
{
    struct mm_search_run *made = calloc(search->step_count + 1, sizeof *made);

    *count = 0;
    *seconds = 0;
    for (size_t i = 0; made && i < search->step_count; i++) {
        const struct search_step *step = &search->steps[i];

        if (step->state == SEARCH_DONE || step->state == SEARCH_FAILED)
            *seconds += isfinite(step->run.seconds) ? step->run.seconds : 0;
        if (step->state == SEARCH_DONE)
            made[(*count)++] = step->run;
    }
    return made;
}

/* Choose the next run; `*open` is the number of open questions. Returns -1 with the
 * choice, else an exit code. */
static int choose(const struct search *search, const struct properties_asked *asked,
                  double budget, struct mm_search_choice *choice, size_t *open)
{
    struct search_questions questions;
    size_t count;
    double spent;
    struct mm_search_run *made = runs_made(search, &count, &spent);
    int result = made ? search_questions(&questions, search, asked) : mm_no_memory();

    if (result < 0)
        mm_search_choose(choice,
                         &(struct mm_search_request){.questions = questions.all,
                                                     .question_count = questions.count,
                                                     .made = made,
                                                     .made_count = count,
                                                     .ranks = search->ranks,
                                                     .ranks_count = search->ranks_count,
                                                     .allowed = questions.allowed,
                                                     .left = budget - spent,
                                                     .least_gain = least_gain});
    *open = made ? questions.count : 0;
    if (made)
        free(questions.all);
    free(made);
    return result;
}

static void print_head(const struct search *search)
{
    if (!search->quiet)
        puts("step  ranks  asked                            took  decided");
}

static void print_step(const struct search *search, size_t at)
{
    enum { ROOM = 46 }; /* columns for the decided properties, of 100 in a line */
    const struct search_step *step = &search->steps[at];
    const char *decided;

    if (search->quiet)
        return;
    decided = step->state == SEARCH_FAILED      ? "failed"
              : step->state == SEARCH_SUBMITTED ? "not ended yet"
              : step->decided                   ? mm_safe(step->decided)
                                                : "";
    printf("%4zu  %5d  %-28s %8s  %.*s%s\n", at + 1, step->run.ranks,
           search_asks_text(step->run.asks),
           isfinite(step->run.seconds) ? mm_time(1e9 * step->run.seconds) : "-", ROOM,
           decided, strlen(decided) > ROOM ? ".." : "");
    fflush(stdout);
}

/* Print a line with the properties that a step has decided. */
static int tell_decided(struct search *search, const struct properties_asked *asked)
{
    struct search_step *step = &search->steps[search->step_count - 1];
    const struct mm_findings *f = &asked->findings;
    const struct mm_world_region *region =
        f->count ? mm_world_region(&asked->world, f->all[0].asked->region) : NULL;
    char *text = NULL;
    int written;

    if (f->confident)
        written = asprintf(&text, "%zu sure, first %.2f %s %s", f->confident,
                           f->all[0].severity, f->all[0].asked->property,
                           region ? region->name : "");
    else
        written = asprintf(&text, "none sure; %zu do not hold, %zu not evaluated",
                           f->not_held, f->not_evaluated);
    if (written < 0)
        return mm_no_memory();
    free(step->decided);
    step->decided = text;
    return search_write(search);
}

static size_t failures_at_end(const struct search *search)
{
    size_t count = 0;

    while (count < search->step_count &&
           search->steps[search->step_count - 1 - count].state == SEARCH_FAILED)
        count++;
    return count;
}

/* Make the chosen run, or write its job script. Returns -1 to go on. */
static int make_step(struct search *search, const struct mm_search_choice *choice)
{
    struct search_step *step = search_add(search, &choice->run);
    int result;

    if (!step)
        return mm_no_memory();
    if (!search->slurm) {
        result = search_write(search); /* the file records a begun step, should this
                                        * process die */
        return result < 0 ? search_make_run(search, search->step_count - 1) : result;
    }
    result = search_write_job(search, search->step_count - 1);
    step->state = SEARCH_SUBMITTED;
    return result < 0 ? search_write(search) : result;
}

/* Forget a step that began and did not end; its number is used again. */
static void forget_open(struct search *search)
{
    while (search->step_count &&
           search->steps[search->step_count - 1].state == SEARCH_OPEN)
        free(search->steps[--search->step_count].decided);
}

struct ending {
    const char *why;
    size_t waiting; /* number of jobs that have not ended */
};

/* Write jobs for all questions that no submitted job serves. */
static int write_jobs(struct search *search, double budget, struct ending *ending)
{
    struct mm_search_choice choice = {0};
    size_t open;
    int result = choose(search, NULL, budget, &choice, &open);

    while (result < 0 && choice.found) {
        result = make_step(search, &choice);
        if (result < 0)
            print_step(search, search->step_count - 1);
        ending->waiting++;
        if (result < 0)
            result = choose(search, NULL, budget, &choice, &open);
    }
    ending->why = "jobs are to be submitted";
    return result;
}

static unsigned count_looks(const struct search *search)
{
    unsigned looks = 0;

    for (size_t i = 0; i < search->step_count; i++)
        looks += search->steps[i].state == SEARCH_DONE;
    return looks ? looks : 1;
}

/* Evaluate, choose and run until nothing is left to choose. `asked` gets the last
 * answers. */
static int go_on(struct search *search, double budget, struct properties_asked *asked,
                 struct mm_paths *paths, struct ending *ending)
{
    int result = -1, has_answers = 0;

    ending->waiting = search_look_for_jobs(search);
    for (;;) {
        struct mm_search_choice choice = {0};
        size_t open = 0;

        properties_asked_done(asked);
        mm_paths_done(paths);
        *asked = (struct properties_asked){0};
        *paths = (struct mm_paths){0};
        has_answers = count_looks(search) > 1 ||
                      (search->step_count && search->steps[0].state == SEARCH_DONE);
        if (has_answers) {
            result = search_ask(search, asked, paths, count_looks(search));
            if (result < 0 && search->steps[search->step_count - 1].state == SEARCH_DONE)
                result = tell_decided(search, asked);
            if (result < 0)
                print_step(search, search->step_count - 1);
        }
        if (result >= 0 || ending->waiting)
            break;
        if (search->slurm && !has_answers)
            return write_jobs(search, budget, ending);
        result = choose(search, has_answers ? asked : NULL, budget, &choice, &open);
        if (result >= 0 || !choice.found) {
            ending->why = choice.too_long ? "the budget has ended"
                          : open
                              ? "no further run is worth its time for the open questions"
                              : "all is decided";
            break;
        }
        if (failures_at_end(search) >= 2) {
            ending->why = "two runs in a row failed";
            break;
        }
        result = make_step(search, &choice);
        if (result >= 0)
            break;
        if (search->slurm) {
            print_step(search, search->step_count - 1);
            ending->waiting++;
            break;
        }
        if (search->steps[search->step_count - 1].state == SEARCH_FAILED)
            print_step(search, search->step_count - 1);
    }
    if (ending->waiting)
        ending->why = "jobs have not ended";
    return result;
}

/* --- The verb ----------------------------------------------------------------------- */

static json_t *document_of(const struct search *search,
                           const struct properties_asked *asked, const char *why)
{
    json_t *document = mm_json_document("search"), *steps = json_array();

    for (size_t i = 0; i < search->step_count; i++) {
        const struct search_step *step = &search->steps[i];
        static const char *const states[] = {"open", "done", "failed", "submitted"};
        json_array_append_new(steps, mm_json_object("state ranks asked seconds decided",
                                                    states[step->state], step->run.ranks,
                                                    search_asks_text(step->run.asks),
                                                    step->run.seconds, step->decided));
    }
    mm_json_set(document, "steps ended", steps, why ? why : "");
    if (asked->store)
        mm_json_put(document, "properties", properties_json(asked, 0));
    return document;
}

/* Print how the search ended and its findings. Returns the exit code. */
static int tell(const struct search *search, const struct properties_asked *asked,
                const struct cca_given *options, const char *why)
{
    int found = asked->findings.confident ? MM_EXIT_NO : MM_EXIT_DONE, result;

    if (options[JSON].given) {
        result = mm_json_print(document_of(search, asked, why));
        return result == MM_EXIT_DONE ? found : result;
    }
    printf("ended: %s\n", why);
    for (size_t i = 0; i < search->step_count; i++)
        if (search->steps[i].state == SEARCH_SUBMITTED)
            printf("sbatch %s/run-%03zu.sh\n", mm_safe(search->dir), i + 1);
    if (asked->store) {
        putchar('\n');
        properties_print(asked, options[WHY].given);
    }
    return mm_finish_output(found);
}

static int run_search(struct search *search, const struct cca_given *options,
                      char **words)
{
    struct properties_asked asked = {0};
    struct mm_paths paths = {0};
    struct ending ending = {0};
    double budget;
    int result = sweep_budget(&options[BUDGET], &budget);

    if (result < 0)
        result = read_asked(search, options, words);
    if (result < 0)
        result = search_open(search);
    if (result >= 0)
        return result;
    forget_open(search);
    /* progress lines are for people, not for --json */
    search->quiet = options[JSON].given;
    print_head(search);
    for (size_t i = 0; i + 1 < search->step_count; i++)
        print_step(search, i);
    sweep_hold_signals();
    result = go_on(search, budget, &asked, &paths, &ending);
    if (result < 0)
        result = tell(search, &asked, options, ending.why);
    else if (result > 128)
        fprintf(stderr,
                "mastermind: ended by signal %d; 'mastermind search -o %s' goes on\n",
                result - 128, mm_safe(search->dir));
    properties_asked_done(&asked);
    mm_paths_done(&paths);
    return result;
}

static int search_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    struct search search = {.lock = -1};
    int result;

    if (args->count)
        return mm_refuse(MM_EXIT_MISUSE, "found '%s'; expected -- before the command",
                         mm_safe(args->words[0]));
    result = run_search(&search, options, args->command);
    search_done(&search);
    return result;
}

const struct cca_verb mm_verb_search = {
    .name = "search",
    .summary = "make the runs that decide open questions about performance problems",
    .examples = "mastermind search --ranks 1,2,4 --launcher mpirun.openmpi -o DIR -- "
                "ccafe SCRIPT\n"
                "mastermind search --budget 20m -o DIR -- mastermind record -- PROGRAM\n"
                "mastermind search -o DIR\n",
    .about = "Make the run that would decide most properties a second, ask all of them, "
             "and so on, until none is open or the time is out. The last form goes on "
             "with a search that was ended.\n",
    .takes_command = 1,
    CCA_OPTIONS(option_table),
    .notes = "Exit status 1: a sure finding. 130, 143: ended by SIGINT, SIGTERM.\n",
    .run = search_verb,
};
