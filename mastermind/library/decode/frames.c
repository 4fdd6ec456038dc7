/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.c: read unwind information (.eh_frame, DWARF 5 section 6.4), and the tables of
 * exceptions' landing pads to which it refers. */
#include "mastermind/library/decode/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/find.h"

enum { FRAMES_MOST = 1 << 24, ROWS_MOST = 1 << 20, SAVED_MOST = 32, PADS_MOST = 1 << 20 };

/* Encodings of pointers in .eh_frame (DW_EH_PE_). */
enum { ABSENT = 0xff, RELATIVE = 0x10, APPLICATION = 0x70, INDIRECT = 0x80 };

/* State of a reader of bytes; `bad` is set when the bytes end too early. */
struct reader {
    const unsigned char *at, *end;
    uint64_t address; /* address of the byte `at`, as in the file */
    int bad;
};

static uint64_t take(struct reader *r, size_t size)
{
    uint64_t value = 0;

    if (r->bad || (size_t)(r->end - r->at) < size) {
        r->bad = 1;
        return 0;
    }
    memcpy(&value, r->at, size);
    r->at += size;
    r->address += size;
    return value;
}

static uint64_t take_unsigned(struct reader *r)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;

    do {
        byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 127) << shift;
        shift += 7;
    } while ((byte & 128) && !r->bad);
    return value;
}

static int64_t take_signed(struct reader *r)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;

    do {
        byte = take(r, 1);
        if (shift < 64)
            value |= (byte & 127) << shift;
        shift += 7;
    } while ((byte & 128) && !r->bad);
    if ((byte & 64) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

static uint64_t extended(uint64_t value, unsigned bits)
{
    return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

static uint64_t take_number(struct reader *r, unsigned encoding)
{
    switch (encoding & 15) {
    case 0x0:
    case 0x4:
    case 0xc:
        return take(r, 8);
    case 0x1:
        return take_unsigned(r);
    case 0x2:
        return take(r, 2);
    case 0x3:
        return take(r, 4);
    case 0x9:
        return (uint64_t)take_signed(r);
    case 0xa:
        return extended(take(r, 2), 16);
    case 0xb:
        return extended(take(r, 4), 32);
    default:
        r->bad = 1;
        return 0;
    }
}

static uint64_t take_pointer(struct reader *r, unsigned encoding)
{
    uint64_t from = r->address, value;

    if (encoding == ABSENT)
        return 0;
    value = take_number(r, encoding);
    if ((encoding & APPLICATION) == RELATIVE)
        return value ? value + from : 0;
    if ((encoding & APPLICATION) || (encoding & INDIRECT))
        r->bad = 1;
    return value;
}

/* --- Descriptions --------------------------------------------------------- */

/* The part that several entries of .eh_frame have in common (CIE). */
struct kind {
    uint64_t address;
    int64_t code_factor, data_factor;
    unsigned pointers, tables; /* encodings (DW_EH_PE_) of addresses, and of references to
                                  tables of landing pads */
    int has_data, has_language, is_signal, is_known;
    const unsigned char *from, *to;
};

static void read_augmentation(struct reader *r, const char *letters, struct kind *kind)
{
    for (const char *c = letters + 1; *c && !r->bad; c++) {
        unsigned encoding;

        switch (*c) {
        case 'L':
            kind->tables = (unsigned)take(r, 1);
            break;
        case 'P':
            encoding = (unsigned)take(r, 1);
            take_number(r, encoding);
            kind->has_language = 1;
            break;
        case 'R':
            kind->pointers = (unsigned)take(r, 1);
            break;
        case 'S':
            kind->is_signal = 1;
            break;
        case 'B':
            break;
        default:
            r->bad = 1;
        }
    }
}

static void read_kind(struct reader r, struct kind *kind)
{
    const char *letters;
    unsigned version = (unsigned)take(&r, 1);
    struct reader data;
    uint64_t size;

    kind->pointers = 0;
    kind->tables = ABSENT;
    if (r.bad || (version != 1 && version != 3) ||
        !memchr(r.at, 0, (size_t)(r.end - r.at)))
        return;
    letters = (const char *)r.at;
    take(&r, 1);
    while (r.at[-1] && !r.bad)
        take(&r, 1);
    kind->code_factor = (int64_t)take_unsigned(&r);
    kind->data_factor = take_signed(&r);
    if ((version == 1 ? take(&r, 1) : take_unsigned(&r)) != CODE_RETURN)
        return;
    if (*letters == 'z') {
        size = take_unsigned(&r);
        if (r.bad || size > (size_t)(r.end - r.at))
            return;
        data = r;
        data.end = r.at + size;
        read_augmentation(&data, letters, kind);
        if (data.bad)
            return;
        r.at += size;
        kind->has_data = 1;
    } else if (*letters) {
        return;
    }
    kind->from = r.at;
    kind->to = r.end;
    kind->is_known = !r.bad;
}

static void read_kind_at(const struct code_file *file, uint64_t address,
                         struct kind *kind)
{
    struct reader r = {.address = address};
    uint64_t size;
    size_t count;

    *kind = (struct kind){.address = address};
    r.at = code_file_at(file, address, &count);
    if (!r.at)
        return;
    r.end = r.at + count;
    size = take(&r, 4);
    if (r.bad || size < 4 || size > (size_t)(r.end - r.at) || take(&r, 4))
        return;
    r.end = r.at + size - 4;
    read_kind(r, kind);
}

static int add_frame(struct code_frames *frames, struct reader r, const struct kind *kind)
{
    struct code_frame frame = {.common = kind->from,
                               .common_end = kind->to,
                               .code_factor = kind->code_factor,
                               .data_factor = kind->data_factor,
                               .has_language = kind->has_language,
                               .is_signal = kind->is_signal};
    struct code_frame *added;

    frame.start = take_pointer(&r, kind->pointers);
    frame.size = take_number(&r, kind->pointers);
    if (kind->has_data) {
        uint64_t size = take_unsigned(&r);
        struct reader data = r;

        if (r.bad || size > (size_t)(r.end - r.at))
            return 0;
        data.end = r.at + size;
        if (size)
            frame.table = take_pointer(&data, kind->tables);
        r.at += size;
    }
    if (r.bad || !frame.start || !frame.size || frame.start + frame.size < frame.start)
        return 0;
    frame.own = r.at;
    frame.own_end = r.end;
    added = frames->count < FRAMES_MOST
                ? cca_array_add(&frames->list, &frames->count, sizeof *added)
                : NULL;
    if (!added)
        return -ENOMEM;
    *added = frame;
    return 0;
}

static int order_frames(const void *a, const void *b)
{
    const struct code_frame *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

int code_frames_read(struct code_frames *frames, const struct code_file *file)
{
    struct reader all = {.address = file->frames};
    struct kind kind = {.is_known = 0};
    size_t count;
    int status = 0;

    memset(frames, 0, sizeof *frames);
    all.at = file->frames ? code_file_at(file, file->frames, &count) : NULL;
    if (!all.at)
        return 0;
    all.end = all.at + count;
    while (!status && !all.bad) {
        uint64_t size = take(&all, 4), place, back;
        struct reader one;

        if (!size || all.bad)
            break;
        if (size == 0xffffffffu)
            size = take(&all, 8);
        if (all.bad || size > (size_t)(all.end - all.at) || size < 4)
            break;
        one = all;
        one.end = all.at + size;
        all.at += size;
        all.address += size;
        place = one.address;
        back = take(&one, 4);
        if (!back) {
            kind = (struct kind){.address = place - 4};
            read_kind(one, &kind);
            continue;
        }
        /* the entry has another common part (CIE) than the entry before it */
        if (place - back != kind.address)
            read_kind_at(file, place - back, &kind);
        if (kind.is_known)
            status = add_frame(frames, one, &kind);
    }
    if (frames->count)
        qsort(frames->list, frames->count, sizeof *frames->list, order_frames);
    return status;
}

void code_frames_done(struct code_frames *frames)
{
    free(frames->list);
    memset(frames, 0, sizeof *frames);
}

const struct code_frame *code_frames_at(const struct code_frames *frames,
                                        uint64_t address)
{
    size_t at;

    CCA_FIND_FIRST(at, frames->count, frames->list[at].start < address);
    return at < frames->count && frames->list[at].start == address ? &frames->list[at]
                                                                   : NULL;
}

/* Return number * factor, both from the file; the product may wrap around. */
static int64_t scaled(uint64_t number, int64_t factor)
{
    return (int64_t)(number * (uint64_t)factor);
}

/* --- Rows ----------------------------------------------------------------- */

struct state {
    int base;
    int64_t offset;
    int is_usual;
};

struct run {
    const struct code_frame *frame;
    struct code_rows *rows; /* rows of the entry; NULL while the common instructions of
                               the CIE are executed */
    struct state now, first, saved[SAVED_MOST];
    unsigned saved_count;
    uint64_t address;
};

static int put_row(struct run *run)
{
    struct code_rows *rows = run->rows;
    struct code_row *row;

    if (!rows)
        return 0;
    if (rows->count && rows->list[rows->count - 1].address == run->address)
        rows->count--;
    if (rows->count == ROWS_MOST ||
        cca_array_extend(&rows->list, &rows->room, sizeof *rows->list, rows->count + 1))
        return -ENOMEM;
    row = &rows->list[rows->count++];
    *row = (struct code_row){run->address, run->now.base, run->now.offset,
                             run->now.is_usual};
    return 0;
}

static int advance(struct run *run, uint64_t by)
{
    int status = put_row(run);

    run->address += by * (uint64_t)run->frame->code_factor;
    return status;
}

/* Execute a rule for a register. Only the rule for the return address matters: whether it
 * is at its usual place. */
static void rule(struct run *run, uint64_t number, int is_usual)
{
    if (number == CODE_RETURN)
        run->now.is_usual = is_usual;
}

static void skip_block(struct reader *r)
{
    uint64_t size = take_unsigned(r);

    if (size > (size_t)(r->end - r->at)) {
        r->bad = 1;
        return;
    }
    r->at += size;
    r->address += size;
}

static void define(struct run *run, uint64_t base, int64_t offset)
{
    run->now.base = base == CODE_RBP || base == CODE_RSP ? (int)base : CODE_UNKNOWN;
    run->now.offset = offset;
}

/* Execute an unwind instruction whose first byte contains no operand. */
static int run_other(struct run *run, struct reader *r, unsigned op)
{
    int64_t factor = run->frame->data_factor;
    uint64_t number;

    switch (op) {
    case 0x00: /* nop */
        return 0;
    case 0x01: /* set_loc */
        return -EBADMSG;
    case 0x02: /* advance_loc1 */
        return advance(run, take(r, 1));
    case 0x03:
        return advance(run, take(r, 2));
    case 0x04:
        return advance(run, take(r, 4));
    case 0x05: /* offset_extended */
        number = take_unsigned(r);
        rule(run, number, scaled(take_unsigned(r), factor) == -8);
        return 0;
    case 0x06: /* restore_extended */
        number = take_unsigned(r);
        rule(run, number, run->first.is_usual);
        return 0;
    case 0x07: /* undefined */
    case 0x08: /* same_value */
        rule(run, take_unsigned(r), 0);
        return 0;
    case 0x09: /* register */
        number = take_unsigned(r);
        take_unsigned(r);
        rule(run, number, 0);
        return 0;
    case 0x0a: /* remember_state */
        if (run->saved_count == SAVED_MOST)
            return -EBADMSG;
        run->saved[run->saved_count++] = run->now;
        return 0;
    case 0x0b: /* restore_state */
        if (!run->saved_count)
            return -EBADMSG;
        run->now = run->saved[--run->saved_count];
        return 0;
    case 0x0c: /* def_cfa */
        number = take_unsigned(r);
        define(run, number, (int64_t)take_unsigned(r));
        return 0;
    case 0x0d: /* def_cfa_register */
        define(run, take_unsigned(r), run->now.offset);
        return 0;
    case 0x0e: /* def_cfa_offset */
        run->now.offset = (int64_t)take_unsigned(r);
        return 0;
    case 0x0f: /* def_cfa_expression */
        skip_block(r);
        run->now.base = CODE_UNKNOWN;
        return 0;
    case 0x10: /* expression */
    case 0x16: /* val_expression */
        number = take_unsigned(r);
        skip_block(r);
        rule(run, number, 0);
        return 0;
    case 0x11: /* offset_extended_sf */
        number = take_unsigned(r);
        rule(run, number, scaled((uint64_t)take_signed(r), factor) == -8);
        return 0;
    case 0x12: /* def_cfa_sf */
        number = take_unsigned(r);
        define(run, number, scaled((uint64_t)take_signed(r), factor));
        return 0;
    case 0x13: /* def_cfa_offset_sf */
        run->now.offset = scaled((uint64_t)take_signed(r), factor);
        return 0;
    case 0x14: /* val_offset */
        number = take_unsigned(r);
        take_unsigned(r);
        rule(run, number, 0);
        return 0;
    case 0x15: /* val_offset_sf */
        number = take_unsigned(r);
        take_signed(r);
        rule(run, number, 0);
        return 0;
    case 0x2e: /* GNU_args_size */
        take_unsigned(r);
        return 0;
    default:
        return -EBADMSG;
    }
}

static int run_all(struct run *run, struct reader r)
{
    int status = 0;

    while (!status && !r.bad && r.at < r.end) {
        unsigned op = (unsigned)take(&r, 1);

        switch (op >> 6) {
        case 1: /* advance_loc */
            status = advance(run, op & 63);
            break;
        case 2: /* offset */
            rule(run, op & 63, scaled(take_unsigned(&r), run->frame->data_factor) == -8);
            break;
        case 3: /* restore */
            rule(run, op & 63, run->first.is_usual);
            break;
        default:
            status = run_other(run, &r, op);
        }
    }
    return r.bad ? -EBADMSG : status;
}

int code_frame_rows(const struct code_frame *frame, struct code_rows *rows)
{
    struct run run = {
        .frame = frame, .now = {CODE_UNKNOWN, 0, 0}, .address = frame->start};
    int status;

    rows->count = 0;
    status = run_all(&run, (struct reader){frame->common, frame->common_end, 0, 0});
    run.first = run.now;
    run.rows = rows;
    if (!status)
        status = run_all(&run, (struct reader){frame->own, frame->own_end, 0, 0});
    return status ? status : put_row(&run);
}

/* --- Landing pads --------------------------------------------------------- */

int code_frame_pads(const struct code_frame *frame, const struct code_file *file,
                    int (*visit)(void *context, uint64_t address), void *context)
{
    struct reader r = {.address = frame->table};
    uint64_t base = frame->start, size;
    unsigned encoding;
    size_t count;
    int status = 0;

    r.at = frame->table ? code_file_at(file, frame->table, &count) : NULL;
    if (!r.at)
        return 0;
    r.end = r.at + count;
    encoding = (unsigned)take(&r, 1);
    if (encoding != ABSENT)
        base = take_pointer(&r, encoding);
    encoding = (unsigned)take(&r, 1);
    if (encoding != ABSENT)
        take_unsigned(&r);
    encoding = (unsigned)take(&r, 1);
    size = take_unsigned(&r);
    if (r.bad || size > (size_t)(r.end - r.at))
        return 0;
    r.end = r.at + size;
    for (int i = 0; i < PADS_MOST && r.at < r.end && !r.bad && !status; i++) {
        uint64_t pad;

        take_number(&r, encoding);
        take_number(&r, encoding);
        pad = take_number(&r, encoding);
        take_unsigned(&r);
        if (pad && !r.bad)
            status = visit(context, base + pad);
    }
    return status;
}
