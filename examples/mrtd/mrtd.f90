! SPDX-License-Identifier: BSD-3-Clause
! mrtd.f90: electromagnetic waves in 3-D by Haar wavelets on cells that change their owners, in
! Fortran: main.c, swap.c and dump.c have the same in C.
program mrtd_f
    use, intrinsic :: iso_c_binding
    use mrtd_shared
    use mrtd_field
    use mm_mesh
    implicit none

    integer, parameter :: E = 0, H = 1
    type(mrtd_options) :: o
    type(c_ptr) :: plan = c_null_ptr, report = c_null_ptr, parts_at = c_null_ptr
    type(mrtd_parts), pointer :: parts
    type(field) :: now
    type(c_ptr) :: mesh = c_null_ptr ! not profiled
    integer :: cost = 0, work_probe = 0
    real(c_double), allocatable :: words_out(:), words_in(:)
    integer(c_int32_t) :: step
    integer(c_int) :: status

    call mrtd_comm_begin()
    status = read_options()
    if (status == 0) then
        status = open_plan()
    else
        status = merge(0_c_int, 2_c_int, status == 1)
        call mrtd_comm_end()
        call end_program(status)
    end if
    if (status == 0) then
        call begin_run()
        do step = 0, o%steps - 1
            call run_step()
        end do
        status = end_run()
    end if
    call mm_mesh_close(mesh)
    call mrtd_report_free(report)
    call mrtd_parts_free(parts_at)
    call mrtd_plan_free(plan)
    call mrtd_comm_end()
    call end_program(status)

contains

    ! Fortran's `stop` prints; C's exit does not.
    subroutine end_program(code)
        integer(c_int), intent(in) :: code
        interface
            subroutine c_exit(code) bind(C, name="exit")
                import :: c_int
                integer(c_int), value :: code
            end subroutine c_exit
        end interface

        flush (6)
        call c_exit(code)
    end subroutine end_program

    subroutine check(code)
        integer(c_int), intent(in) :: code

        if (code /= 0) call mrtd_comm_abort("out of memory"//c_null_char)
    end subroutine check

    integer(c_int) function read_options()
        character(kind=c_char, len=path_bytes + 1), allocatable, target :: words(:)
        type(c_ptr), allocatable :: argv(:)
        character(len=path_bytes) :: word
        integer :: i, length

        allocate (words(0:command_argument_count()), argv(0:command_argument_count() + 1))
        argv = c_null_ptr
        do i = 0, command_argument_count()
            call get_command_argument(i, word, length)
            if (length > path_bytes) length = path_bytes
            words(i) = word(1:length)//c_null_char
            argv(i) = c_loc(words(i))
        end do
        read_options = mrtd_options_read(o, int(command_argument_count() + 1, c_int), argv, &
                                         merge(1_c_int, 0_c_int, mrtd_comm_rank() == 0))
    end function read_options

    ! A schedule may be wrong, or missing, on some ranks alone: the first of them says so.
    integer(c_int) function open_plan()
        integer(c_int32_t) :: first

        plan = mrtd_plan_new(o, mrtd_comm_ranks(), 0_c_int)
        first = mrtd_comm_first(merge(0_c_int32_t, 1_c_int32_t, c_associated(plan)))
        if (first == mrtd_comm_rank()) plan = mrtd_plan_new(o, mrtd_comm_ranks(), 1_c_int)
        open_plan = merge(3_c_int, 0_c_int, first >= 0)
    end function open_plan

    subroutine begin_run()
        integer(c_int32_t), allocatable :: owner(:)

        allocate (owner(o%n(1)*o%n(2)*o%n(3)))
        call check(mrtd_plan_first(plan, owner))
        parts_at = mrtd_parts_new(o%n, mrtd_comm_rank(), mrtd_comm_ranks(), owner)
        report = mrtd_report_new(o)
        if (.not. c_associated(parts_at) .or. .not. c_associated(report)) call check(1_c_int)
        call c_f_pointer(parts_at, parts)
        call field_new(now, o, parts)
        if (o%mode(1) >= 0) call field_mode(now, o, parts)
        call open_profile()
        call swap(E)
    end subroutine begin_run

    subroutine open_profile()
        character(len=path_bytes) :: name

        name = transfer(o%profile, name)
        mesh = mm_mesh_open(name(:index(name, c_null_char) - 1), o%n)
        if (.not. c_associated(mesh)) return
        cost = mm_mesh_probe(mesh, "cost", "time")
        work_probe = mm_mesh_probe(mesh, "work", "given")
        call mm_mesh_place(mesh, [0d0, 0d0, 0d0], [o%cell_m, o%cell_m, o%cell_m])
        call mm_mesh_rank(mesh, mrtd_comm_rank(), mrtd_comm_ranks())
        call tell_parts()
    end subroutine open_profile

    ! The cells of this rank as boxes, for the profile.
    subroutine tell_parts()
        type(mrtd_boxes) :: boxes
        integer(c_int64_t), pointer :: lo(:, :), hi(:, :)

        if (.not. c_associated(mesh)) return
        call check(mrtd_boxes_make(boxes, parts_at))
        call c_f_pointer(boxes%lo, lo, [3_c_int64_t, boxes%count])
        call c_f_pointer(boxes%hi, hi, [3_c_int64_t, boxes%count])
        call mm_mesh_boxes(mesh, 0, lo + 1, hi) ! from 1, with their last cells
        call mrtd_boxes_done(boxes)
    end subroutine tell_parts

    ! Room for words of both directions.
    subroutine reserve(out, in)
        integer(c_int64_t), intent(in) :: out, in

        if (allocated(words_out)) then
            if (size(words_out) >= out .and. size(words_in) >= in) return
            deallocate (words_out, words_in)
        end if
        allocate (words_out(max(out, 1_c_int64_t)), words_in(max(in, 1_c_int64_t)))
    end subroutine reserve

    ! Send E or H to the ranks beside.
    subroutine swap(which)
        integer, intent(in) :: which
        integer(c_int64_t), pointer :: first_out(:), first_in(:)
        integer(c_int32_t), pointer :: out(:), in(:)
        integer(c_int64_t) :: outs, ins

        if (parts%ranks == 1) return
        call get_link(parts%all(which), first_out, first_in, out, in)
        outs = first_out(parts%ranks + 1)
        ins = first_in(parts%ranks + 1)
        call reserve(outs*ghost_words, ins*ghost_words)
        call field_pack(now%h(which), out, outs, words_out, ghost_words)
        call mrtd_comm_swap(words_out, first_out*ghost_words, words_in, first_in*ghost_words)
        call field_unpack(now%h(which), in, ins, words_in, ghost_words)
    end subroutine swap

    subroutine get_link(link, first_out, first_in, out, in)
        type(mrtd_link), intent(in) :: link
        integer(c_int64_t), pointer, intent(out) :: first_out(:), first_in(:)
        integer(c_int32_t), pointer, intent(out) :: out(:), in(:)

        call c_f_pointer(link%first_out, first_out, [parts%ranks + 1])
        call c_f_pointer(link%first_in, first_in, [parts%ranks + 1])
        call c_f_pointer(link%out, out, [first_out(parts%ranks + 1) + 1])
        call c_f_pointer(link%in, in, [first_in(parts%ranks + 1) + 1])
    end subroutine get_link

    ! Cells go into the fields of new parts, which replace the old ones.
    subroutine move_cells(to_at, moved)
        type(c_ptr), intent(in) :: to_at
        integer(c_int64_t), intent(out) :: moved
        integer, parameter :: both = 2*ghost_words
        type(mrtd_parts), pointer :: to
        type(mrtd_link) :: link
        type(c_ptr) :: kept_at
        type(field) :: new
        integer(c_int64_t), pointer :: first_out(:), first_in(:)
        integer(c_int32_t), pointer :: out(:), in(:), kept(:)
        integer(c_int64_t) :: outs, ins
        integer :: i

        call c_f_pointer(to_at, to)
        call field_new(new, o, to)
        call check(mrtd_parts_move(parts_at, to_at, link, kept_at, moved))
        call c_f_pointer(kept_at, kept, [to%own + 1])
        call field_keep(new, now, kept, to%own)
        call get_link(link, first_out, first_in, out, in)
        outs = first_out(parts%ranks + 1)
        ins = first_in(parts%ranks + 1)
        call reserve(outs*both, ins*both)
        do i = 0, 1
            call field_pack(now%h(i), out, outs, words_out(1 + i*ghost_words:), both)
        end do
        call mrtd_comm_swap(words_out, first_out*both, words_in, first_in*both)
        do i = 0, 1
            call field_unpack(new%h(i), in, ins, words_in(1 + i*ghost_words:), both)
        end do
        call mrtd_link_done(link)
        call c_free(kept_at)
        call mrtd_parts_free(parts_at)
        parts_at = to_at
        parts => to
        now = new
    end subroutine move_cells

    ! The work of all cells in the order of their numbers.
    subroutine gather_work(all)
        integer(c_int8_t), intent(out) :: all(0:)
        integer(c_int8_t), allocatable :: by_rank(:)
        integer(c_int32_t), pointer :: owner(:)
        integer(c_int32_t), allocatable :: counts(:), first(:)
        integer :: c, r

        call c_f_pointer(parts%owner, owner, [parts%cells])
        allocate (by_rank(0:parts%cells - 1), counts(0:parts%ranks - 1), first(0:parts%ranks))
        counts = 0
        do c = 1, parts%cells
            counts(owner(c)) = counts(owner(c)) + 1
        end do
        first(0) = 0
        do r = 0, parts%ranks - 1
            first(r + 1) = first(r) + counts(r)
        end do
        call mrtd_comm_gather(now%work, parts%own, by_rank, counts)
        do c = 0, parts%cells - 1
            all(c) = by_rank(first(owner(c + 1)))
            first(owner(c + 1)) = first(owner(c + 1)) + 1
        end do
    end subroutine gather_work

    integer(c_int64_t) function load_of_rank()
        load_of_rank = sum(int(now%work(0:parts%own - 1), c_int64_t))
    end function load_of_rank

    ! Give cells to their new owners, where the plan has any.
    subroutine repartition()
        integer(c_int8_t), allocatable :: work(:)
        integer(c_int32_t), allocatable :: owner(:)
        integer(c_int32_t), pointer :: before(:)
        integer(c_int64_t) :: moved
        integer(c_int) :: asks, new
        type(c_ptr) :: to

        if (step == 0) return
        asks = mrtd_plan_asks(plan, step)
        if (asks == 0) return
        allocate (work(parts%cells), owner(parts%cells))
        work = 1
        if (asks == 2) call gather_work(work)
        call c_f_pointer(parts%owner, before, [parts%cells])
        owner = before
        new = mrtd_plan_next(plan, step, work, owner)
        if (new < 0) call check(new)
        if (new == 0) return
        to = mrtd_parts_new(parts%n, parts%rank, parts%ranks, owner)
        if (.not. c_associated(to)) call check(1_c_int)
        call move_cells(to, moved)
        call mrtd_report_move(report, step, moved)
        call tell_parts()
        call swap(E)
    end subroutine repartition

    subroutine update_all(which)
        integer, intent(in) :: which
        integer(c_int32_t), pointer :: beside(:, :), cell(:)
        integer :: s, side

        call c_f_pointer(parts%beside, beside, [6, parts%own + 1])
        call c_f_pointer(parts%cell, cell, [parts%own + parts%ghosts + 1])
        side = merge(1, 4, which == E)
        call mm_mesh_start(mesh, cost)
        do s = 0, parts%own - 1
            call field_update(now, which, s, beside(side:side + 2, s + 1))
            if (which == E) call mm_mesh_value(mesh, work_probe, cell(s + 1) + 1, real(now%work(s), c_double))
            call mm_mesh_cell(mesh, cost, cell(s + 1) + 1)
        end do
    end subroutine update_all

    ! What leapfrog keeps, E.E + H(before).H(behind), of the first and the last step.
    subroutine update_h()
        real(c_double), allocatable :: before(:, :, :)
        logical :: asked

        asked = o%energy /= 0 .and. (step == 0 .or. step == o%steps - 1)
        if (asked) before = now%h(H)%value
        call update_all(H)
        if (.not. asked) return
        associate (own => parts%own)
            call mrtd_report_energy(report, merge(0_c_int, 1_c_int, step == 0), &
                8*(sum(now%h(E)%value(:, :, 0:own - 1)**2) + &
                   sum(before(:, :, 0:own - 1)*now%h(H)%value(:, :, 0:own - 1))))
        end associate
    end subroutine update_h

    subroutine watch()
        integer(c_int32_t), pointer :: cell(:)
        integer :: s

        if (o%watch(1) < 0) return
        call c_f_pointer(parts%cell, cell, [parts%own + parts%ghosts + 1])
        do s = 0, parts%own - 1
            if (cell(s + 1) == (o%watch(1)*o%n(2) + o%watch(2))*o%n(3) + o%watch(3)) &
                call mrtd_report_watch(report, step, now%h(E)%value(0, :, s))
        end do
    end subroutine watch

    subroutine run_step()
        integer(c_int64_t) :: began, moved

        call mrtd_comm_pause(o%pace_ms)
        ! before cells move: the step that ends has the cells of its parts
        call mm_mesh_step(mesh, step, step*(.5d0*mrtd_options_step(o)*o%cell_m/299792458d0))
        began = mrtd_comm_cpu_ns()
        call repartition()
        moved = mrtd_comm_cpu_ns()
        call update_h()
        call swap(H)
        call update_all(E)
        call field_source(now, o, parts, step)
        call swap(E)
        call watch()
        call mrtd_report_step(report, step, mrtd_comm_cpu_ns() - moved, moved - began, load_of_rank(), &
                              parts%own)
    end subroutine run_step

    integer(c_int) function end_run()
        integer(c_int32_t), pointer :: cell(:)
        integer :: s

        call c_f_pointer(parts%cell, cell, [parts%own + parts%ghosts + 1])
        do s = 0, parts%own - 1
            call mrtd_report_hash(report, cell(s + 1), now%h(E)%value(:, :, s), now%h(H)%value(:, :, s))
        end do
        end_run = mrtd_report_print(report)
        if (end_run == 0 .and. o%dump(1) /= c_null_char) end_run = dump(cell)
    end function end_run

    ! Write all coefficients, cell by cell: 24 doubles of E, 24 of H.
    integer(c_int) function dump(cell)
        integer(c_int32_t), intent(in) :: cell(0:)
        character(len=path_bytes) :: path
        character(len=200) :: why
        integer(c_int64_t) :: bad(1), at
        integer :: i, unit, ios

        path = transfer(o%dump, path)
        path = path(:index(path, c_null_char) - 1)
        bad = 0
        if (parts%rank == 0) then ! empty it before others write
            open (newunit=unit, file=path, access="stream", status="replace", iostat=ios, iomsg=why)
            bad = ios
            if (ios == 0) close (unit)
        end if
        call mrtd_comm_max(bad, 1)
        if (bad(1) == 0) then
            open (newunit=unit, file=path, access="stream", status="old", iostat=ios, iomsg=why)
            do i = 0, parts%own - 1
                at = cell(i)*384_c_int64_t + 1
                if (ios == 0) write (unit, pos=at, iostat=ios, iomsg=why) now%h(E)%value(:, :, i), &
                    now%h(H)%value(:, :, i)
            end do
            if (ios == 0) close (unit, iostat=ios, iomsg=why)
            bad = ios
            call mrtd_comm_max(bad, 1)
        end if
        if (bad(1) /= 0 .and. parts%rank == 0) write (0, "(4a)") "mrtd: --dump '", trim(path), "': ", trim(why)
        dump = merge(3_c_int, 0_c_int, bad(1) /= 0)
    end function dump
end program mrtd_f
