! SPDX-License-Identifier: BSD-3-Clause
! mrtd_shared.f90: what the Fortran program takes from the C one: options, ranks, parts, the plan,
! the report. Fields are its own (mrtd_field.f90). Headers of the same names have the contracts.
module mrtd_shared
    use, intrinsic :: iso_c_binding
    implicit none

    integer, parameter :: path_bytes = 512

    ! struct mrtd_options, options.h
    type, bind(C) :: mrtd_options
        integer(c_int32_t) :: n(3), steps, source(3), absorb, mode(3), watch(3), json, energy, &
            decide, pace_ms
        real(c_double) :: threshold, courant, cell_m, width_cells
        character(kind=c_char) :: price(path_bytes), move(path_bytes)
        character(kind=c_char) :: policy(path_bytes), partitioner(path_bytes), schedule(path_bytes)
        character(kind=c_char) :: dump(path_bytes), times(path_bytes), moves(path_bytes)
        character(kind=c_char) :: profile(path_bytes)
    end type mrtd_options

    ! struct mrtd_link, struct mrtd_parts, parts.h
    type, bind(C) :: mrtd_link
        type(c_ptr) :: first_out, first_in, out, in
    end type mrtd_link
    type, bind(C) :: mrtd_parts
        integer(c_int32_t) :: n(3), rank, ranks, cells, own, ghosts
        type(c_ptr) :: owner, cell, beside
        type(mrtd_link) :: all(0:1)
    end type mrtd_parts

    ! struct mrtd_boxes, boxes.h: [count][3] each, from 0, without their ends
    type, bind(C) :: mrtd_boxes
        integer(c_int64_t) :: count
        type(c_ptr) :: lo, hi
    end type mrtd_boxes

    interface
        integer(c_int) function mrtd_options_read(options, argc, argv, speak) bind(C)
            import :: c_int, c_ptr, mrtd_options
            type(mrtd_options), intent(out) :: options
            integer(c_int), value :: argc, speak
            type(c_ptr), intent(in) :: argv(*)
        end function mrtd_options_read

        real(c_double) function mrtd_options_step(options) bind(C)
            import :: c_double, mrtd_options
            type(mrtd_options), intent(in) :: options
        end function mrtd_options_step

        subroutine mrtd_comm_begin() bind(C)
        end subroutine mrtd_comm_begin

        subroutine mrtd_comm_end() bind(C)
        end subroutine mrtd_comm_end

        subroutine mrtd_comm_abort(why) bind(C)
            import :: c_char
            character(kind=c_char), intent(in) :: why(*)
        end subroutine mrtd_comm_abort

        integer(c_int) function mrtd_comm_rank() bind(C)
            import :: c_int
        end function mrtd_comm_rank

        integer(c_int) function mrtd_comm_ranks() bind(C)
            import :: c_int
        end function mrtd_comm_ranks

        integer(c_int64_t) function mrtd_comm_cpu_ns() bind(C)
            import :: c_int64_t
        end function mrtd_comm_cpu_ns

        subroutine mrtd_comm_swap(out, first_out, in, first_in) bind(C)
            import :: c_double, c_int64_t
            real(c_double), intent(in) :: out(*)
            real(c_double), intent(inout) :: in(*)
            integer(c_int64_t), intent(in) :: first_out(*), first_in(*)
        end subroutine mrtd_comm_swap

        subroutine mrtd_comm_gather(bytes, count, all, counts) bind(C)
            import :: c_int8_t, c_int32_t
            integer(c_int8_t), intent(in) :: bytes(*)
            integer(c_int32_t), value :: count
            integer(c_int8_t), intent(inout) :: all(*)
            integer(c_int32_t), intent(in) :: counts(*)
        end subroutine mrtd_comm_gather

        subroutine mrtd_comm_pause(ms) bind(C)
            import :: c_int32_t
            integer(c_int32_t), value :: ms
        end subroutine mrtd_comm_pause

        integer(c_int32_t) function mrtd_comm_first(failed) bind(C)
            import :: c_int32_t
            integer(c_int32_t), value :: failed
        end function mrtd_comm_first

        subroutine mrtd_comm_max(values, count) bind(C)
            import :: c_int32_t, c_int64_t
            integer(c_int64_t), intent(inout) :: values(*)
            integer(c_int32_t), value :: count
        end subroutine mrtd_comm_max

        type(c_ptr) function mrtd_parts_new(n, rank, ranks, owner) bind(C)
            import :: c_int32_t, c_ptr
            integer(c_int32_t), intent(in) :: n(3), owner(*)
            integer(c_int32_t), value :: rank, ranks
        end function mrtd_parts_new

        subroutine mrtd_parts_free(parts) bind(C)
            import :: c_ptr
            type(c_ptr), value :: parts
        end subroutine mrtd_parts_free

        integer(c_int) function mrtd_parts_move(old, to, link, kept, moved) bind(C)
            import :: c_int, c_int64_t, c_ptr, mrtd_link
            type(c_ptr), value :: old, to
            type(mrtd_link), intent(out) :: link
            type(c_ptr), intent(out) :: kept
            integer(c_int64_t), intent(out) :: moved
        end function mrtd_parts_move

        integer(c_int) function mrtd_boxes_make(boxes, parts) bind(C)
            import :: c_int, c_ptr, mrtd_boxes
            type(mrtd_boxes), intent(out) :: boxes
            type(c_ptr), value :: parts
        end function mrtd_boxes_make

        subroutine mrtd_boxes_done(boxes) bind(C)
            import :: mrtd_boxes
            type(mrtd_boxes), intent(inout) :: boxes
        end subroutine mrtd_boxes_done

        subroutine mrtd_link_done(link) bind(C)
            import :: mrtd_link
            type(mrtd_link), intent(inout) :: link
        end subroutine mrtd_link_done

        subroutine c_free(memory) bind(C, name="free")
            import :: c_ptr
            type(c_ptr), value :: memory
        end subroutine c_free

        type(c_ptr) function mrtd_plan_new(options, ranks, speak) bind(C)
            import :: c_int, c_int32_t, c_ptr, mrtd_options
            type(mrtd_options), intent(in) :: options
            integer(c_int32_t), value :: ranks
            integer(c_int), value :: speak
        end function mrtd_plan_new

        subroutine mrtd_plan_free(plan) bind(C)
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine mrtd_plan_free

        integer(c_int) function mrtd_plan_first(plan, owner) bind(C)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int32_t), intent(out) :: owner(*)
        end function mrtd_plan_first

        integer(c_int) function mrtd_plan_asks(plan, step) bind(C)
            import :: c_int, c_int32_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int32_t), value :: step
        end function mrtd_plan_asks

        integer(c_int) function mrtd_plan_next(plan, step, work, owner) bind(C)
            import :: c_int, c_int8_t, c_int32_t, c_ptr
            type(c_ptr), value :: plan
            integer(c_int32_t), value :: step
            integer(c_int8_t), intent(in) :: work(*)
            integer(c_int32_t), intent(inout) :: owner(*)
        end function mrtd_plan_next

        type(c_ptr) function mrtd_report_new(options) bind(C)
            import :: c_ptr, mrtd_options
            type(mrtd_options), intent(in) :: options
        end function mrtd_report_new

        subroutine mrtd_report_free(report) bind(C)
            import :: c_ptr
            type(c_ptr), value :: report
        end subroutine mrtd_report_free

        subroutine mrtd_report_step(report, step, cpu_ns, move_ns, work, cells) bind(C)
            import :: c_int32_t, c_int64_t, c_ptr
            type(c_ptr), value :: report
            integer(c_int32_t), value :: step, cells
            integer(c_int64_t), value :: cpu_ns, move_ns, work
        end subroutine mrtd_report_step

        subroutine mrtd_report_move(report, step, moved) bind(C)
            import :: c_int32_t, c_int64_t, c_ptr
            type(c_ptr), value :: report
            integer(c_int32_t), value :: step
            integer(c_int64_t), value :: moved
        end subroutine mrtd_report_move

        subroutine mrtd_report_watch(report, step, mean) bind(C)
            import :: c_double, c_int32_t, c_ptr
            type(c_ptr), value :: report
            integer(c_int32_t), value :: step
            real(c_double), intent(in) :: mean(3)
        end subroutine mrtd_report_watch

        subroutine mrtd_report_energy(report, last, energy) bind(C)
            import :: c_double, c_int, c_ptr
            type(c_ptr), value :: report
            integer(c_int), value :: last
            real(c_double), value :: energy
        end subroutine mrtd_report_energy

        subroutine mrtd_report_hash(report, cell, e, h) bind(C)
            import :: c_double, c_int32_t, c_ptr
            type(c_ptr), value :: report
            integer(c_int32_t), value :: cell
            real(c_double), intent(in) :: e(24), h(24)
        end subroutine mrtd_report_hash

        integer(c_int) function mrtd_report_print(report) bind(C)
            import :: c_int, c_ptr
            type(c_ptr), value :: report
        end function mrtd_report_print

        subroutine mrtd_start_factors(options, cell, keep, add) bind(C)
            import :: c_double, c_int32_t, mrtd_options
            type(mrtd_options), intent(in) :: options
            integer(c_int32_t), value :: cell
            real(c_double), intent(out) :: keep, add
        end subroutine mrtd_start_factors

        real(c_double) function mrtd_start_source(options, step) bind(C)
            import :: c_double, c_int32_t, mrtd_options
            type(mrtd_options), intent(in) :: options
            integer(c_int32_t), value :: step
        end function mrtd_start_source

        integer(c_int32_t) function mrtd_start_source_cell(options) bind(C)
            import :: c_int32_t, mrtd_options
            type(mrtd_options), intent(in) :: options
        end function mrtd_start_source_cell

        subroutine mrtd_start_mode(options, cell, e) bind(C)
            import :: c_double, c_int32_t, mrtd_options
            type(mrtd_options), intent(in) :: options
            integer(c_int32_t), value :: cell
            real(c_double), intent(out) :: e(24)
        end subroutine mrtd_start_mode
    end interface
end module mrtd_shared
