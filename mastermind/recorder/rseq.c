/* SPDX-License-Identifier: BSD-3-Clause */
/* rseq.c: the word of a thread that the kernel clears, and the descriptions of critical
 * sections to which it points. */
#include "mastermind/recorder/rseq.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>

/* Description of a critical section, like struct rseq_cs of the kernel. */
struct section {
    uint32_t version, flags;
    uint64_t start_ip, post_commit_offset, abort_ip;
} __attribute__((aligned(32)));

enum {
    /* number of descriptions; there are several so that a newly armed word differs from
       its previous value, which all users of the word can notice */
    SECTIONS = 64,
    SIGNATURE = 0x53053053, /* RSEQ_SIG of x86-64, stored before the address `abort_ip` */
    FIELD = 8,              /* offset of rseq_cs in struct rseq */
    LEAST_SIZE = 20         /* least size of a struct rseq that has the field rseq_cs */
};

struct page {
    struct section sections[SECTIONS];
    unsigned char never_run[8];
    uint32_t signature;
    unsigned char abort[4];
};

static struct page *page;
static enum mm_rseq kind;

#if defined(__x86_64__) && defined(__linux__)
/* Size of struct rseq, defined in <sys/rseq.h> of glibc 2.35 and later. */
extern const unsigned int libc_rseq_size __asm__("__rseq_size") __attribute__((weak));
extern const ptrdiff_t libc_rseq_offset __asm__("__rseq_offset") __attribute__((weak));

volatile uint64_t *mm_rseq_word(void)
{
    char *thread;

    if (!&libc_rseq_size || !&libc_rseq_offset || libc_rseq_size < LEAST_SIZE)
        return NULL;
    __asm__("mov %%fs:0, %0" : "=r"(thread));
    return (volatile uint64_t *)(thread + libc_rseq_offset + FIELD);
}
#else
volatile uint64_t *mm_rseq_word(void)
{
    return NULL;
}
#endif

static struct page *make_page(void)
{
    struct page *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (made == MAP_FAILED)
        return NULL;
    for (int i = 0; i < SECTIONS; i++) {
        made->sections[i].start_ip = (uintptr_t)made->never_run;
        made->sections[i].post_commit_offset = sizeof made->never_run;
        made->sections[i].abort_ip = (uintptr_t)made->abort;
    }
    made->signature = SIGNATURE;
    mprotect(made, sizeof *made, PROT_READ);
    return made;
}

static int is_ours(uint64_t value)
{
    return value >= (uintptr_t)page->sections &&
           value < (uintptr_t)(page->sections + SECTIONS);
}

uint64_t mm_rseq_arm(volatile uint64_t *word, uint64_t before)
{
    uint64_t value = *word, next = (uintptr_t)page->sections;

    if (value && is_ours(value) && value != before)
        return value;
    if (is_ours(before + sizeof(struct section)))
        next = before + sizeof(struct section);
    *word = next;
    return value && !is_ours(value) ? 0 : next;
}

/* Find out whether a wait clears the thread's word. From Linux 6.19 on only interruptions
 * may clear it. */
static void find_kind(void)
{
    const struct timespec wait = {.tv_nsec = 1000};
    volatile uint64_t *word = mm_rseq_word();
    uint64_t armed;

    page = word ? make_page() : NULL;
    if (!page)
        return;
    armed = mm_rseq_arm(word, 0);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
    kind = armed && *word == armed ? MM_RSEQ_PREEMPTED : MM_RSEQ_ALL;
}

enum mm_rseq mm_rseq_kind(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_kind);
    return kind;
}
