/* SPDX-License-Identifier: BSD-3-Clause */
/* race_habits.c: may the sides of a race run at the same time on one core? A run that
 * counts for nothing is watched for threads, files that it writes, and sockets with an
 * address.
 *
 *   child:   filter of system calls (seccomp, SECCOMP_RET_USER_NOTIF) ── fd ──▶ parent
 *   parent:  a thread reads each notification, notes the habit, lets the call continue */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "mastermind/cmd/diff/race.h"
#include "mastermind/cmd/sweep/sweep.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* A run that is watched. */
struct habits {
    int ends[2];         /* sockets: the child's, the parent's */
    int is_apart;        /* 1: both sides have folders of their own */
    struct rusage usage; /* resources that the run used */
    int stop;            /* eventfd: the run has ended */
    pthread_t thread;
    int has_thread;
    char text[120]; /* first habit that forbids to run beside the other side; "": none */
    int is_watched; /* 1: the filter was installed */
};

#ifdef ARCHITECTURE

/* --- The filter, in the child ------------------------------------------------------- */

#define LOAD(member)                                                                     \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define NOTE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)
/* Continue with the next statement if the call is `number`, else skip `skipped`. */
#define CALL(number, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (skipped))
/* Note a call. */
#define NOTE_CALL(number) CALL(number, 1), NOTE
/* Note a call if an argument has one of these bits. */
#define NOTE_BITS(number, argument, bits)                                                \
    CALL(number, 4), LOAD(args[argument]),                                               \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), NOTE, PASS

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static const struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    PASS,
    LOAD(nr),
    NOTE_BITS(SYS_openat, 2, WRITING),
    NOTE_BITS(SYS_clone, 0, CLONE_THREAD),
    NOTE_CALL(SYS_clone3),
    NOTE_CALL(SYS_bind),
    NOTE_CALL(SYS_renameat2),
    NOTE_CALL(SYS_truncate),
#ifdef SYS_open
    NOTE_BITS(SYS_open, 1, WRITING),
    NOTE_CALL(SYS_creat),
    NOTE_CALL(SYS_rename),
#endif
    NOTE_CALL(SYS_renameat),
    PASS,
};

static void send_fd(int socket, int fd)
{
    char byte = 0, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec text = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(head), &fd, sizeof fd);
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

/* In the child, before exec. */
static void install(void *context)
{
    const struct habits *habits = context;
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter,
                                 .filter = (struct sock_filter *)(uintptr_t)filter};
    int fd = -1;

    close(habits->ends[1]);
    if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                          SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (fd >= 0)
        send_fd(habits->ends[0], fd);
    close(habits->ends[0]);
    if (fd >= 0)
        close(fd);
}

/* --- Notifications, in the parent --------------------------------------------------- */

/* The listener that the child sent; -1: none. */
static int receive_fd(int socket)
{
    int fd = -1;
    char byte, room[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec text = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof room};
    struct cmsghdr *head;
    ssize_t got;

    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

/* Copy memory of the process; returns the number of bytes. */
static ssize_t copy_memory(const struct seccomp_notif *call, uint64_t address, void *to,
                           size_t size)
{
    struct iovec here = {.iov_base = to, .iov_len = size},
                 there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

    return process_vm_readv((pid_t)call->pid, &here, 1, &there, 1, 0);
}

/* Copy a path; "": it cannot be read. */
static void copy_path(const struct seccomp_notif *call, uint64_t address, char path[100])
{
    /* in two steps, as the second half may be behind the end of memory */
    uint64_t page = 4096 - (address & 4095);
    ssize_t got = copy_memory(call, address, path, page < 99 ? page : 99);

    if (got > 0 && got < 99 && !memchr(path, '\0', (size_t)got)) {
        ssize_t more =
            copy_memory(call, address + (uint64_t)got, path + got, 99 - (size_t)got);

        got += more > 0 ? more : 0;
    }
    path[got > 0 ? got : 0] = '\0';
}

/* True for files that every program may write to. */
static int is_harmless(const char *path)
{
    static const char *const begins[] = {"/dev/null",   "/dev/tty",    "/dev/pts/",
                                         "/dev/zero",   "/dev/full",   "/dev/fd/",
                                         "/dev/stdout", "/dev/stderr", "/proc/self/"};

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(path, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

static void note_file(struct habits *habits, const struct seccomp_notif *call,
                      uint64_t address, uint64_t flags)
{
    char path[100];

    copy_path(call, address, path);
    /* a new file with a name that is free is nobody else's */
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) ||
        (flags & O_TMPFILE) == O_TMPFILE || is_harmless(path) ||
        (habits->is_apart && *path && *path != '/'))
        return;
    snprintf(habits->text, sizeof habits->text, "writes '%.80s'", mm_safe(path));
}

static void note_call(struct habits *habits, const struct seccomp_notif *call)
{
    const __u64 *argument = call->data.args;
    struct clone_args clone = {.flags = 0};

    if (*habits->text)
        return;
    switch (call->data.nr) {
    case SYS_openat:
        note_file(habits, call, argument[1], argument[2]);
        return;
#ifdef SYS_open
    case SYS_open:
        note_file(habits, call, argument[0], argument[1]);
        return;
    case SYS_creat:
#endif
    case SYS_truncate:
        note_file(habits, call, argument[0], O_TRUNC);
        return;
#ifdef SYS_rename
    case SYS_rename:
        note_file(habits, call, argument[1], 0);
        return;
#endif
    case SYS_renameat:
    case SYS_renameat2:
        note_file(habits, call, argument[3], 0);
        return;
    case SYS_clone3:
        copy_memory(call, argument[0], &clone, sizeof clone.flags);
        if (!(clone.flags & CLONE_THREAD))
            return;
        /* fallthrough */
    case SYS_clone:
        snprintf(habits->text, sizeof habits->text, "has threads");
        return;
    default: { /* bind */
        uint16_t family = 0;

        copy_memory(call, argument[1], &family, sizeof family);
        if (family != AF_NETLINK)
            snprintf(habits->text, sizeof habits->text, "binds a socket");
    }
    }
}

static void *listen_to_calls(void *context)
{
    struct habits *habits = context;
    int fd = receive_fd(habits->ends[1]);

    habits->is_watched = fd >= 0;
    while (fd >= 0) {
        struct pollfd ready[2] = {{.fd = fd, .events = POLLIN},
                                  {.fd = habits->stop, .events = POLLIN}};
        struct seccomp_notif call = {.id = 0};
        struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

        if (poll(ready, 2, -1) < 0 && errno == EINTR)
            continue;
        if (!(ready[0].revents & POLLIN)) /* all watched processes have ended */
            break;
        if (ioctl(fd, SECCOMP_IOCTL_NOTIF_RECV, &call))
            continue;
        note_call(habits, &call);
        answer.id = call.id;
        ioctl(fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* The child has been started. */
static void begin(void *context, pid_t child)
{
    struct habits *habits = context;

    (void)child;
    close(habits->ends[0]);
    habits->ends[0] = -1;
    habits->has_thread = !pthread_create(&habits->thread, NULL, listen_to_calls, habits);
    if (!habits->has_thread) {
        close(habits->ends[1]);
        habits->ends[1] = -1;
    }
}

int race_watch_side(struct race *race, int side, const char *out, const char *err,
                    int *status, int *signal_number, char text[120])
{
    struct habits habits = {.ends = {-1, -1},
                            .stop = eventfd(0, EFD_CLOEXEC),
                            .is_apart = strcmp(race->cwd[0], race->cwd[1]) != 0};
    struct sweep_watch watch = {
        .context = &habits, .begin = begin, .usage = &habits.usage};
    struct sweep_child child = {.words = race->command[side],
                                .cwd = race->cwd[side],
                                .out = out,
                                .err = err,
                                .watch = &watch,
                                .prepare = install};
    int result;

    if (habits.stop < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, habits.ends)) {
        result = -errno;
        if (habits.stop >= 0)
            close(habits.stop);
        return result;
    }
    result = sweep_children_run(&child, 1, signal_number);
    if (habits.ends[0] >= 0)
        close(habits.ends[0]);
    eventfd_write(habits.stop, 1);
    if (habits.has_thread)
        pthread_join(habits.thread, NULL);
    if (habits.ends[1] >= 0)
        close(habits.ends[1]);
    close(habits.stop);
    *status = child.status;
    snprintf(text, 120, "%s",
             *habits.text        ? habits.text
             : habits.is_watched ? ""
                                 : "cannot be watched here");
    race->peak_bytes[side] = 1024. * (double)habits.usage.ru_maxrss;
    return result;
}

#else

int race_watch_side(struct race *race, int side, const char *out, const char *err,
                    int *status, int *signal_number, char text[120])
{
    struct rusage usage = {.ru_maxrss = 0};
    struct sweep_watch watch = {.usage = &usage};
    struct sweep_child child = {.words = race->command[side],
                                .cwd = race->cwd[side],
                                .out = out,
                                .err = err,
                                .watch = &watch};
    int result = sweep_children_run(&child, 1, signal_number);

    *status = child.status;
    snprintf(text, 120, "cannot be watched on this kind of machine");
    return result;
}

#endif
