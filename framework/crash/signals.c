/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.c: report the current line of the script when the program is killed, or when a
 * component ends it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "framework/crash/crash.h"
#include "framework/crash/names.h"
#include "framework/repository.h"

/* "FILE:LINE: command" of the current command; static, because a signal handler has no
 * arguments */
static char place[512];
static size_t place_length;
static int where_length;              /* length of "FILE:LINE" at the beginning of
                                       * `place` */
static char ending[512];              /* the line to print after an exit, without its
                                       * status */
static char rank_text[32];            /* "rank 2: ", or "" */
static pid_t pid;                     /* process id of the program; 0 when the script is
                                       * done */
static struct cca_framework *watched; /* framework whose components are reported, or NULL;
                                       * __atomic */
static char stack[64 * 1024]; /* signal stack: an overflown stack has no room for the
                               * handler */

void ccafe_signals_progress(void *unused, const char *file, int line, const char *command)
{
    const struct cca_framework *framework = __atomic_load_n(&watched, __ATOMIC_ACQUIRE);
    int length;

    (void)unused;
    /* the commands go and run, and their abbreviations */
    if (framework && strchr("gr", *command))
        ccafe_names_learn(framework);
    place_length = 0;
    where_length = snprintf(NULL, 0, "%s%s:%d", rank_text, file, line);
    length = snprintf(place, sizeof place - 1, "%s%s:%d: killed in '%s' by signal ",
                      rank_text, file, line, command);
    place_length = length > 0 && (size_t)length < sizeof place ? (size_t)length : 0;
    snprintf(ending, sizeof ending, "%s%s:%d: a component ended the program in '%s'",
             rank_text, file, line, command);
}

void ccafe_signals_rank(int rank)
{
    snprintf(rank_text, sizeof rank_text, "rank %d: ", rank);
}

void ccafe_signals_place(char *text, size_t size)
{
    snprintf(text, size, "%.*s", place_length ? where_length : 0, place);
}

static void write_all(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDERR_FILENO, text, size);

        if (written <= 0)
            return;
        text += written;
        size -= (size_t)written;
    }
}

/* Print the last texts of components, but only in their own process. */
static void write_last_words(void)
{
    const char *text = cca_last_words();

    if (getpid() != pid)
        return;
    cca_last_moment();
    if (text)
        write_all(text, strlen(text));
}

/* Handle a signal from outside, which ends the program and is no fault of the current
 * line. The handler is already reset. */
static void on_ending_signal(int number)
{
    write_last_words();
    raise(number);
}

int ccafe_signals_handled(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
           action.sa_handler != SIG_IGN && action.sa_handler != on_ending_signal;
}

/* Print the place in the script, without a newline; not in a child that a component has
 * forked, which has the handler, too. */
static void write_place(void)
{
    static const char child[] = "in a child process: ";

    write_all(place, place_length ? (size_t)where_length : 0);
    write_all(": ", place_length ? 2 : 0);
    if (pid != 0 && getpid() != pid)
        write_all(child, sizeof child - 1);
}

/* Print the line that names the code at fault. It is left out for a signal from another
 * process. */
static void write_blame(const siginfo_t *info, const void *context)
{
    char text[512];

    if (info->si_code <= 0 && info->si_pid != getpid())
        return;
    ccafe_crash_blame(__atomic_load_n(&watched, __ATOMIC_ACQUIRE), context, text,
                      sizeof text);
    if (!*text)
        return;
    write_place();
    write_all(text, strlen(text));
    write_all("\n", 1);
}

static void on_fatal_signal(int number, siginfo_t *info, void *context)
{
    const char digits[3] = {(char)('0' + number / 10), (char)('0' + number % 10), '\n'};

    if (place_length > (size_t)where_length + 2) {
        write_place();
        write_all(place + where_length + 2, place_length - (size_t)where_length - 2);
    }
    write_all(digits + (number < 10), sizeof digits - (number < 10));
    write_blame(info, context);
    write_last_words();
    /* On return a hardware fault happens again at the same instruction; a sent signal
     * is sent again. The handler is already reset, unless a component's handler called
     * it. */
    signal(number, SIG_DFL);
    if (info->si_code <= 0)
        raise(number);
}

/* Report that a component ends the program before the end of the script, which is a
 * failure even with status 0. Returns the status to exit with. A forked child may exit as
 * it likes. */
static int report_exit(int status)
{
    char text[sizeof ending + 32];
    int length;

    if (pid == 0 || getpid() != pid || !*ending)
        return status;
    length = snprintf(text, sizeof text, "%s with status %d\n", ending, status);
    write_all(text, (size_t)length);
    write_last_words();
    pid = 0; /* report only once */
    return status ? status : CCA_EXIT_COMPONENT;
}

static void end_now(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

/* Handler for a component's call of exit. */
static void on_exit_call(int status, void *unused)
{
    int reported;

    (void)unused;
    fflush(NULL);
    reported = report_exit(status);
    if (reported != status)
        end_now(reported);
}

#if !CCAFE_SANITIZED
/* Replace _exit, which runs no on_exit functions, so that its status 0 would look like a
 * complete run. This definition precedes libc's. It reports a call from a component's
 * library; other callers, such as MPI_Abort, report themselves. */
static void end_at_once(int status, const void *caller)
{
    struct cca_framework *framework = __atomic_load_n(&watched, __ATOMIC_ACQUIRE);
    uintptr_t offset;

    if (framework && getpid() == pid &&
        cca_repository_at(cca_framework_repository(framework), (uintptr_t)caller,
                          &offset))
        status = report_exit(status);
    end_now(status);
}

__attribute__((visibility("default"))) void _exit(int status)
{
    end_at_once(status, __builtin_return_address(0));
    __builtin_unreachable();
}

__attribute__((visibility("default"))) void _Exit(int status)
{
    end_at_once(status, __builtin_return_address(0));
    __builtin_unreachable();
}
#endif

void ccafe_signals_disarm(void)
{
    pid = 0;
}

void ccafe_signals_allow_exit(void)
{
    *ending = '\0';
}

void ccafe_signals_watch(struct cca_framework *framework)
{
    __atomic_store_n(&watched, framework, __ATOMIC_RELEASE);
}

void ccafe_signals_arm(void)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static const int ending_it[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction before;
    struct sigaction action = {.sa_sigaction = on_fatal_signal,
                               .sa_flags =
                                   SA_SIGINFO | SA_RESETHAND | SA_NODEFER | SA_ONSTACK};

    pid = getpid();
    ccafe_crash_prepare();
    on_exit(on_exit_call, NULL);
    sigaltstack(&alternative, NULL);
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        /* keep the handlers of sanitizers */
        if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(fatal[i], &action, NULL);
    action = (struct sigaction){.sa_handler = on_ending_signal,
                                .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK};
    for (size_t i = 0; i < sizeof ending_it / sizeof *ending_it; i++)
        if (sigaction(ending_it[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ending_it[i], &action, NULL);
}
