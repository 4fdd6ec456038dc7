! SPDX-License-Identifier: BSD-3-Clause
! mrtd_field.f90: E and H of a rank's cells as coefficients of Haar wavelets, and their updates.
! field.h says what the coefficients are, kernel.c where the formulas come from; operations and their
! order are those of kernel.c, so that both programs have the same fields to the last bit.
module mrtd_field
    use, intrinsic :: iso_c_binding
    use mrtd_shared
    implicit none
    private
    public :: half, field, field_new, field_keep, field_mode, field_source, field_update, ghost_words
    public :: field_pack, field_unpack

    integer, parameter :: ghost_words = 25

    ! One of E and H, by slots from 0. Of component x, bits 8 x to 8 x + 7: wavelets of at least the
    ! threshold; from bit 24 on likewise: coefficients that were updated last.
    type :: half
        real(c_double), allocatable :: value(:, :, :) ! (0:7, 0:2, 0:slots - 1)
        integer(c_int64_t), allocatable :: bits(:)
    end type half

    type :: field
        type(half) :: h(0:1)                       ! E, H
        real(c_double), allocatable :: keep(:), add(:) ! factors of the value before, of the curl
        integer(c_int8_t), allocatable :: work(:)  ! coefficients updated in this step
        real(c_double) :: threshold
    end type field

contains

    subroutine field_new(f, o, parts)
        type(field), intent(out) :: f
        type(mrtd_options), intent(in) :: o
        type(mrtd_parts), intent(in) :: parts
        integer(c_int32_t), pointer :: cell(:)
        integer :: i, s

        call c_f_pointer(parts%cell, cell, [parts%own + parts%ghosts + 1])
        do i = 0, 1
            allocate (f%h(i)%value(0:7, 0:2, 0:parts%own + parts%ghosts))
            allocate (f%h(i)%bits(0:parts%own + parts%ghosts))
            f%h(i)%value = 0
            f%h(i)%bits = 0
        end do
        allocate (f%keep(0:parts%own), f%add(0:parts%own), f%work(0:parts%own))
        f%work = 0
        f%threshold = o%threshold
        do s = 0, parts%own - 1
            call mrtd_start_factors(o, cell(s + 1), f%keep(s), f%add(s))
        end do
    end subroutine field_new

    ! Cells that stay: slot s of `to` is slot kept(s) of `from`.
    subroutine field_keep(to, from, kept, own)
        type(field), intent(inout) :: to
        type(field), intent(in) :: from
        integer(c_int32_t), intent(in) :: kept(0:*), own
        integer :: i, s

        do s = 0, own - 1
            if (kept(s) < 0) cycle
            do i = 0, 1
                to%h(i)%value(:, :, s) = from%h(i)%value(:, :, kept(s))
                to%h(i)%bits(s) = from%h(i)%bits(kept(s))
            end do
        end do
    end subroutine field_keep

    subroutine field_mode(f, o, parts)
        type(field), intent(inout) :: f
        type(mrtd_options), intent(in) :: o
        type(mrtd_parts), intent(in) :: parts
        integer(c_int32_t), pointer :: cell(:)
        integer :: s

        call c_f_pointer(parts%cell, cell, [parts%own + parts%ghosts + 1])
        do s = 0, parts%own - 1
            call mrtd_start_mode(o, cell(s + 1), f%h(0)%value(:, :, s))
            f%h(0)%bits(s) = int(z'ffffffffffff', c_int64_t)
        end do
    end subroutine field_mode

    subroutine field_source(f, o, parts, step)
        type(field), intent(inout) :: f
        type(mrtd_options), intent(in) :: o
        type(mrtd_parts), intent(in) :: parts
        integer(c_int32_t), intent(in) :: step
        integer(c_int32_t), pointer :: cell(:)
        integer(c_int32_t) :: wanted
        integer :: low, high, middle

        call c_f_pointer(parts%cell, cell, [parts%own + parts%ghosts + 1])
        wanted = mrtd_start_source_cell(o)
        low = 0
        high = parts%own
        do while (low < high) ! numbers ascend
            middle = low + (high - low)/2
            if (cell(middle + 1) < wanted) then
                low = middle + 1
            else
                high = middle
            end if
        end do
        if (wanted < 0 .or. low >= parts%own) return
        if (cell(low + 1) == wanted) &
            f%h(0)%value(0, 2, low) = f%h(0)%value(0, 2, low) + mrtd_start_source(o, step)
    end subroutine field_source

    ! Bits m exchanged with m xor 2^d.
    pure integer function flip(bits, d)
        integer, intent(in) :: bits, d
        integer, parameter :: low(0:2) = [int(z'55'), int(z'33'), int(z'0f')]
        integer :: shift

        shift = 2**d
        flip = ior(ishft(iand(bits, low(d)), shift), iand(ishft(bits, -shift), low(d)))
    end function flip

    pure logical function is_flat(own, beside, threshold)
        real(c_double), intent(in) :: own, beside, threshold

        is_flat = abs(own - beside) < 4.0d0*threshold
    end function is_flat

    ! The wavelets that a derivative along d drives: by those that matter, by the jump of means.
    pure integer function driven(own, beside, d, bits, threshold)
        real(c_double), intent(in) :: own(0:7), beside(0:7), threshold
        integer, intent(in) :: d, bits

        driven = ior(bits, flip(bits, d))
        if (.not. is_flat(own(0), beside(0), threshold)) driven = ibset(driven, 2**d)
    end function driven

    ! Coefficient m of the derivative along d.
    pure real(c_double) function slope(own, beside, d, m, side)
        real(c_double), intent(in) :: own(0:7), beside(0:7), side
        integer, intent(in) :: d, m
        integer :: p, q
        real(c_double) :: jump

        p = ibclr(m, d)
        q = ibset(m, d)
        jump = (own(p) - beside(p))*side
        if (btest(m, d)) then
            slope = side*(jump + (3.0d0*own(q) + beside(q)))
        else
            slope = jump + (-own(q) + beside(q))
        end if
    end function slope

    ! Update E (which = 0), or H (1), of the cell in slot s by the other one; `beside` are the slots
    ! at its sides -x -y -z, or +x +y +z.
    subroutine field_update(f, which, s, beside)
        type(field), intent(inout) :: f
        integer, intent(in) :: which, s
        integer(c_int32_t), intent(in) :: beside(0:2)
        integer :: x, y, z, m, active, was, matter, count
        integer(c_int64_t) :: bits
        real(c_double) :: side, add

        side = merge(1.0d0, -1.0d0, which == 0)
        add = side*f%add(s)
        bits = 0
        count = 0
        associate (from => f%h(1 - which), to => f%h(which))
            do x = 0, 2
                y = mod(x + 1, 3)
                z = mod(x + 2, 3)
                active = 255
                if (f%threshold > 0) active = ior(ior(1, mattered(to%bits(s), x)), ior( &
                    driven(from%value(:, z, s), from%value(:, z, beside(y)), y, &
                           ior(mattered(from%bits(s), z), mattered(from%bits(beside(y)), z)), f%threshold), &
                    driven(from%value(:, y, s), from%value(:, y, beside(z)), z, &
                           ior(mattered(from%bits(s), y), mattered(from%bits(beside(z)), y)), f%threshold)))
                was = int(ibits(to%bits(s), 24 + 8*x, 8))
                matter = 0
                do m = 0, merge(0, 7, ior(active, was) == 1) ! most cells: the mean alone
                    if (btest(active, m)) then
                        to%value(m, x, s) = f%keep(s)*to%value(m, x, s) + &
                            add*(slope(from%value(:, z, s), from%value(:, z, beside(y)), y, m, side) - &
                                 slope(from%value(:, y, s), from%value(:, y, beside(z)), z, m, side))
                        if (m > 0 .and. abs(to%value(m, x, s)) >= f%threshold) matter = ibset(matter, m)
                    else if (btest(was, m)) then
                        to%value(m, x, s) = 0
                    end if
                end do
                bits = ior(bits, ior(ishft(int(active, c_int64_t), 24 + 8*x), &
                                     ishft(int(matter, c_int64_t), 8*x)))
                count = count + popcnt(active)
            end do
            to%bits(s) = bits
        end associate
        f%work(s) = int(merge(count, f%work(s) + count, which == 1), c_int8_t)
    end subroutine field_update

    pure integer function mattered(bits, x)
        integer(c_int64_t), intent(in) :: bits
        integer, intent(in) :: x

        mattered = int(ibits(bits, 8*x, 8))
    end function mattered

    ! Words of slots for other ranks, 25 each; 48 bits are exact in a double.
    subroutine field_pack(one, slots, count, words, stride)
        type(half), intent(in) :: one
        integer(c_int32_t), intent(in) :: slots(*)
        integer(c_int64_t), intent(in) :: count
        integer, intent(in) :: stride ! from the words of one slot to those of the next
        real(c_double), intent(inout) :: words(*)
        integer(c_int64_t) :: i, at

        do i = 1, count
            at = (i - 1)*stride
            words(at + 1:at + 24) = reshape(one%value(:, :, slots(i)), [24])
            words(at + 25) = real(one%bits(slots(i)), c_double)
        end do
    end subroutine field_pack

    subroutine field_unpack(one, slots, count, words, stride)
        type(half), intent(inout) :: one
        integer(c_int32_t), intent(in) :: slots(*)
        integer(c_int64_t), intent(in) :: count
        integer, intent(in) :: stride
        real(c_double), intent(in) :: words(*)
        integer(c_int64_t) :: i, at

        do i = 1, count
            at = (i - 1)*stride
            one%value(:, :, slots(i)) = reshape(words(at + 1:at + 24), [8, 3])
            one%bits(slots(i)) = int(words(at + 25), c_int64_t)
        end do
    end subroutine field_unpack
end module mrtd_field
