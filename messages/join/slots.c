/* SPDX-License-Identifier: BSD-3-Clause */
/* slots.c: records of sends in a table that the processes of a node share.
 *
 *     FREE ──▶ WRITING ──▶ FULL ──▶ TAKEN ──▶ FREE
 *          put         put      take      take
 *
 * put: by one sender; its last change has release order. take: by one receiver; its first
 * change has acquire order, its last one release order. A sender that takes its record
 * back changes FULL to FREE.
 *
 * A key may use WINDOW adjacent slots. Each change of a slot's state is a
 * compare-and-swap of a word that contains an increasing number. So a process that has
 * read a key and then succeeds in the swap has the record of that key. */
#include "messages/join/slots.h"

#include "messages/join/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 8, FIRST = 4096, HALF_WORDS = sizeof(struct mm_messages_half) / 8 };
static const size_t most_slots = (size_t)1 << 26;

enum state { FREE, WRITING, FULL, TAKEN };

/* `word`: bits 0-1 state, 2-31 number of changes, 32-63 process that writes or takes. */
struct slot {
    uint64_t word;
    uint64_t sent; /* set by mm_slots_sent: bits 0-39: ticks from t_start to t_end, 0: not
                    * set yet; bits 40-63: bits of the key, because the slot may have
                    * another record by then */
    uint64_t half[HALF_WORDS];
};
_Static_assert(sizeof(struct slot) == 128, "two lines of the cache");

#define SLOTS_MAGIC 0x31544f4c5347534dULL /* "MSGSLOT1" */

/* The first page of the shared table; the slots follow it. */
struct table {
    uint64_t magic, slots, slot_bytes;
};

struct mm_slots {
    struct table *table;
    struct slot *slots;
    size_t mask, bytes;
    uint64_t pushed; /* number of displaced records; accessed with __atomic */
    uint32_t pid;
    int fd; /* descriptor of the file in the process that made it, until all processes
               have opened it; else -1 */
};

/* --- Making and opening ---------------------------------------------------------- */

static struct mm_slots *map_table(int fd, size_t bytes, struct cca_error *err)
{
    struct mm_slots *slots = mm_memory_new(sizeof *slots);
    void *table;

    if (!slots) {
        cca_no_memory(err);
        return NULL;
    }
    table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (table == MAP_FAILED) {
        cca_error_set(err, -errno, "cannot map the table of messages: %s",
                      strerror(errno));
        mm_memory_free(slots, sizeof *slots);
        return NULL;
    }
    slots->table = table;
    slots->slots = (struct slot *)(void *)((char *)table + FIRST);
    slots->bytes = bytes;
    slots->pid = (uint32_t)getpid();
    slots->fd = -1;
    return slots;
}

struct mm_slots *mm_slots_make(size_t wanted, char name[MM_SLOTS_NAME],
                               struct cca_error *err)
{
    struct mm_slots *slots = NULL;
    size_t count = WINDOW, bytes;
    int fd;

    while (count < wanted && count < most_slots)
        count *= 2;
    bytes = FIRST + count * sizeof(struct slot);
    fd = memfd_create("mastermind messages", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)bytes)) {
        cca_error_set(err, -errno, "cannot make a table of messages: %s",
                      strerror(errno));
    } else if ((slots = map_table(fd, bytes, err)) != NULL) {
        slots->mask = count - 1;
        slots->table->slots = count;
        slots->table->slot_bytes = sizeof(struct slot);
        slots->table->magic = SLOTS_MAGIC;
        slots->fd = fd;
        snprintf(name, MM_SLOTS_NAME, "/proc/%ld/fd/%d", (long)getpid(), fd);
        return slots;
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* Number of slots of a table in a file of `bytes`; 0: not a table. */
static size_t slots_of(const struct table *table, size_t bytes)
{
    size_t count = (bytes - FIRST) / sizeof(struct slot);

    return table->magic == SLOTS_MAGIC && table->slot_bytes == sizeof(struct slot) &&
                   table->slots == count && count && !(count & (count - 1))
               ? count
               : 0;
}

struct mm_slots *mm_slots_open(const char *name, struct cca_error *err)
{
    int fd = open(name, O_RDWR | O_CLOEXEC);
    struct mm_slots *slots = NULL;
    struct stat st;

    if (fd < 0 || fstat(fd, &st)) {
        cca_error_set(err, -errno, "cannot open the table of messages '%s': %s", name,
                      strerror(errno));
    } else if (st.st_size <= FIRST) {
        cca_error_set(err, -EINVAL, "'%s' has %lld bytes, expected a table of messages",
                      name, (long long)st.st_size);
    } else if ((slots = map_table(fd, (size_t)st.st_size, err)) != NULL) {
        slots->mask = slots_of(slots->table, slots->bytes) - 1;
        if (slots->mask == SIZE_MAX) {
            cca_error_set(err, -EINVAL, "'%s' is no table of messages of this layout",
                          name);
            mm_slots_close(slots);
            slots = NULL;
        }
    }
    if (fd >= 0)
        close(fd);
    return slots;
}

void mm_slots_unlink(struct mm_slots *slots)
{
    if (slots->fd >= 0)
        close(slots->fd);
    slots->fd = -1;
}

void mm_slots_close(struct mm_slots *slots)
{
    if (!slots)
        return;
    mm_slots_unlink(slots);
    munmap(slots->table, slots->bytes);
    mm_memory_free(slots, sizeof *slots);
}

/* --- Slots ------------------------------------------------------------------------ */

static struct slot *slot_at(const struct mm_slots *slots, uint64_t key, int i)
{
    return &slots->slots[(key + (uint64_t)i) & slots->mask];
}

static enum state state_of(uint64_t word)
{
    return (enum state)(word & 3);
}

static uint64_t next_word(uint64_t word, enum state state, uint32_t pid)
{
    uint64_t number = ((word & 0xffffffffULL) >> 2) + 1;

    return (uint64_t)pid << 32 | (number << 2 & 0xffffffffULL) | (uint64_t)state;
}

/* Change the state of a slot whose word is `word` to `state`. Returns 0 if another
 * process has changed the slot before. */
static int change(struct slot *slot, uint64_t *word, enum state state, uint32_t pid)
{
    uint64_t next = next_word(*word, state, pid);

    if (!__atomic_compare_exchange_n(&slot->word, word, next, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return 0;
    *word = next;
    return 1;
}

/* Release a slot that this process has claimed for writing or taking. */
static void release(struct slot *slot, uint64_t word, enum state state)
{
    __atomic_store_n(&slot->word, next_word(word, state, 0), __ATOMIC_RELEASE);
}

static uint64_t get(const struct slot *slot, size_t offset)
{
    return __atomic_load_n(&slot->half[offset / 8], __ATOMIC_RELAXED);
}

static uint64_t key_of(const struct slot *slot)
{
    return get(slot, offsetof(struct mm_messages_half, key));
}

static uint64_t key_tag(uint64_t key)
{
    return (key ^ key >> 24) << 40;
}

/* Whether the slot's writer or taker has died. */
static int is_orphan(uint64_t word)
{
    return kill((pid_t)(word >> 32), 0) && errno == ESRCH;
}

/* Get a slot for a key: displace the oldest record in the slots that the key may use, or
 * reuse a slot that a dead process left. */
static struct slot *make_room(struct mm_slots *slots, uint64_t key, uint64_t *word)
{
    struct slot *slot, *oldest = NULL;
    uint64_t now, start, least = UINT64_MAX;

    for (int i = 0; i < WINDOW; i++) {
        slot = slot_at(slots, key, i);
        now = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
        start = get(slot, offsetof(struct mm_messages_half, t_start));
        if (state_of(now) == FULL && (!oldest || start < least)) {
            oldest = slot;
            least = start;
            *word = now;
        }
    }
    if (oldest && change(oldest, word, WRITING, slots->pid)) {
        __atomic_fetch_add(&slots->pushed, 1, __ATOMIC_RELAXED);
        return oldest;
    }
    for (int i = 0; i < WINDOW; i++) {
        slot = slot_at(slots, key, i);
        *word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
        if ((state_of(*word) == WRITING || state_of(*word) == TAKEN) &&
            is_orphan(*word) && change(slot, word, WRITING, slots->pid))
            return slot;
    }
    return NULL;
}

static struct slot *free_slot(struct mm_slots *slots, uint64_t key, uint64_t *word)
{
    for (int i = 0; i < WINDOW; i++) {
        struct slot *slot = slot_at(slots, key, i);

        *word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
        if (state_of(*word) == FREE && change(slot, word, WRITING, slots->pid))
            return slot;
    }
    return make_room(slots, key, word);
}

int64_t mm_slots_put(struct mm_slots *slots, const struct mm_messages_half *half)
{
    uint64_t word, words[HALF_WORDS];
    struct slot *slot = free_slot(slots, half->key, &word);

    if (!slot)
        return -1;
    memcpy(words, half, sizeof words);
    words[offsetof(struct mm_messages_half, t_end) / 8] = 0;
    __atomic_store_n(&slot->sent, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < HALF_WORDS; i++)
        __atomic_store_n(&slot->half[i], words[i], __ATOMIC_RELAXED);
    release(slot, word, FULL);
    return slot - slots->slots;
}

uint64_t mm_slots_pushed(const struct mm_slots *slots)
{
    return __atomic_load_n(&slots->pushed, __ATOMIC_RELAXED);
}

void mm_slots_sent(struct mm_slots *slots, int64_t number, uint64_t key, uint64_t t_end,
                   int keep)
{
    const uint64_t most = ((uint64_t)1 << 40) - 1;
    struct slot *slot;
    uint64_t word, ticks;

    if (number < 0)
        return;
    slot = &slots->slots[number];
    word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);
    if (state_of(word) != FULL || key_of(slot) != key)
        return;
    if (!keep) {
        change(slot, &word, FREE, 0);
        return;
    }
    ticks = t_end - get(slot, offsetof(struct mm_messages_half, t_start));
    ticks = ticks ? ticks : 1;
    ticks = ticks < most ? ticks : most;
    __atomic_store_n(&slot->sent, key_tag(key) | ticks, __ATOMIC_RELEASE);
}

static void copy_out(const struct slot *slot, uint64_t key, struct mm_messages_half *half)
{
    const uint64_t ticks_mask = ((uint64_t)1 << 40) - 1;
    uint64_t sent = __atomic_load_n(&slot->sent, __ATOMIC_ACQUIRE), words[HALF_WORDS];

    for (int i = 0; i < HALF_WORDS; i++)
        words[i] = __atomic_load_n(&slot->half[i], __ATOMIC_RELAXED);
    memcpy(half, words, sizeof words);
    if (sent && (sent & ~ticks_mask) == key_tag(key))
        half->t_end = half->t_start + (sent & ticks_mask);
}

int mm_slots_take(struct mm_slots *slots, uint64_t key, struct mm_messages_half *half)
{
    for (int i = 0; i < WINDOW; i++) {
        struct slot *slot = slot_at(slots, key, i);
        uint64_t word = __atomic_load_n(&slot->word, __ATOMIC_ACQUIRE);

        if (state_of(word) != FULL || key_of(slot) != key ||
            !change(slot, &word, TAKEN, slots->pid))
            continue;
        copy_out(slot, key, half);
        release(slot, word, FREE);
        return 1;
    }
    return 0;
}
