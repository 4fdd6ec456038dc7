! SPDX-License-Identifier: BSD-3-Clause
! mm_mesh.f90: what every cell of a mesh costs, told by a Fortran program.
!
!     use mm_mesh                       gfortran prog.f90 $(pkg-config --cflags --libs mm_mesh)
!     type(c_ptr) :: m
!
!     m = mm_mesh_open("field", [30, 20, 20])
!     cost = mm_mesh_probe(m, "cost", "time")
!     work = mm_mesh_probe(m, "work", "given")
!     call mm_mesh_box(m, 0, [1, 1, 1], [30, 20, 10])
!     do step = 0, steps - 1
!         call mm_mesh_step(m, step, time_s)
!         do ...
!             cell = mm_mesh_index(m, 0, i, j, k)
!             call mm_mesh_value(m, work, cell, active)
!             call mm_mesh_cell(m, cost, cell)
!
! As mm_mesh.h, which has what each call means, but: cells, elements and indices begin at
! 1, a box has both its first and its last cell, levels begin at 0. A mesh is a c_ptr;
! c_null_ptr is one that is not profiled, which all calls take. Numbers of cells, bounds
! and steps are integers of 4 or 8 bytes, values are double precision.
!
! Nothing here needs Fortran's own library, so that C programs can be linked with it, too.
module mm_mesh
    use, intrinsic :: iso_c_binding, only: c_ptr, c_funptr, c_int, c_int64_t, c_double, c_char, &
        c_null_ptr, c_funloc, c_loc
    implicit none
    private
    public :: c_ptr, c_null_ptr, c_funloc, c_loc, c_double, c_int64_t
    public :: mm_mesh_open, mm_mesh_open_elements, mm_mesh_levels, mm_mesh_place, mm_mesh_rank
    public :: mm_mesh_probe, mm_mesh_custom, mm_mesh_box, mm_mesh_boxes, mm_mesh_elements
    public :: mm_mesh_step, mm_mesh_start, mm_mesh_cell, mm_mesh_value, mm_mesh_add
    public :: mm_mesh_block, mm_mesh_block_value, mm_mesh_index, mm_mesh_error, mm_mesh_close

    interface mm_mesh_open
        module procedure open_4, open_8
    end interface
    interface mm_mesh_open_elements
        module procedure open_elements_4, open_elements_8
    end interface
    interface mm_mesh_box
        module procedure box_4, box_8
    end interface
    interface mm_mesh_boxes
        module procedure boxes_4, boxes_8
    end interface
    interface mm_mesh_elements
        module procedure elements_4, elements_8
    end interface
    interface mm_mesh_step
        module procedure step_4, step_8
    end interface
    interface mm_mesh_block
        module procedure block_4, block_8
    end interface
    interface mm_mesh_block_value
        module procedure block_value_4, block_value_8
    end interface
    ! The number of a cell; j and k are absent where the mesh has fewer dimensions. 0 outside.
    interface mm_mesh_index
        module procedure index1_8, index2_8
        integer(c_int64_t) function index1_4(m, level, i) bind(C, name="mm_mesh_f_index1")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: level
            integer(c_int), value :: i
        end function
        integer(c_int64_t) function index2_4(m, level, i, j) bind(C, name="mm_mesh_f_index2")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: level
            integer(c_int), value :: i, j
        end function
        integer(c_int64_t) function index3_4(m, level, i, j, k) bind(C, name="mm_mesh_f_index3")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: level
            integer(c_int), value :: i, j, k
        end function
        integer(c_int64_t) function index3_8(m, level, i, j, k) bind(C, name="mm_mesh_f_index")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: level
            integer(c_int64_t), value :: i, j, k
        end function
    end interface
    interface mm_mesh_cell
        module procedure cell_4
        subroutine cell_8(m, probe, cell) bind(C, name="mm_mesh_f_cell")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: probe
            integer(c_int64_t), value :: cell
        end subroutine
    end interface
    interface mm_mesh_value
        module procedure value_4
        subroutine value_8(m, probe, cell, value) bind(C, name="mm_mesh_f_value")
            import :: c_ptr, c_int, c_int64_t, c_double
            type(c_ptr), value :: m
            integer(c_int), value :: probe
            integer(c_int64_t), value :: cell
            real(c_double), value :: value
        end subroutine
    end interface
    interface mm_mesh_add
        module procedure add_4
        subroutine add_8(m, probe, cell, value) bind(C, name="mm_mesh_f_add")
            import :: c_ptr, c_int, c_int64_t, c_double
            type(c_ptr), value :: m
            integer(c_int), value :: probe
            integer(c_int64_t), value :: cell
            real(c_double), value :: value
        end subroutine
    end interface
    interface
        subroutine mm_mesh_start(m, probe) bind(C, name="mm_mesh_start")
            import :: c_ptr, c_int
            type(c_ptr), value :: m
            integer(c_int), value :: probe
        end subroutine
    end interface

    ! Functions of the library.
    interface
        type(c_ptr) function f_open(name, length, elements, dims, n, message, message_length) &
            bind(C, name="mm_mesh_f_open")
            import :: c_ptr, c_int, c_int64_t, c_char
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: length, elements, dims, message_length
            integer(c_int64_t), intent(in) :: n(*)
            character(kind=c_char), intent(inout) :: message(*)
        end function
        integer(c_int) function f_levels(m, levels, ratio) bind(C, name="mm_mesh_levels")
            import :: c_ptr, c_int
            type(c_ptr), value :: m
            integer(c_int), value :: levels, ratio
        end function
        integer(c_int) function f_place(m, origin, spacing) bind(C, name="mm_mesh_place")
            import :: c_ptr, c_int, c_double
            type(c_ptr), value :: m
            real(c_double), intent(in) :: origin(*), spacing(*)
        end function
        integer(c_int) function f_rank(m, rank, ranks) bind(C, name="mm_mesh_rank")
            import :: c_ptr, c_int
            type(c_ptr), value :: m
            integer(c_int), value :: rank, ranks
        end function
        integer(c_int) function f_probe(m, name, length, kind, kind_length) bind(C, name="mm_mesh_f_probe")
            import :: c_ptr, c_int, c_char
            type(c_ptr), value :: m
            character(kind=c_char), intent(in) :: name(*), kind(*)
            integer(c_int), value :: length, kind_length
        end function
        integer(c_int) function f_custom(m, name, length, unit, unit_length, counter, argument) &
            bind(C, name="mm_mesh_f_custom")
            import :: c_ptr, c_funptr, c_int, c_char
            type(c_ptr), value :: m, argument
            character(kind=c_char), intent(in) :: name(*), unit(*)
            integer(c_int), value :: length, unit_length
            type(c_funptr), value :: counter
        end function
        integer(c_int) function f_boxes(m, level, count, lo, hi) bind(C, name="mm_mesh_f_boxes")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: level
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: lo(*), hi(*)
        end function
        integer(c_int) function f_elements(m, count, elements, centres) bind(C, name="mm_mesh_f_elements")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m, centres
            integer(c_int64_t), value :: count
            integer(c_int64_t), intent(in) :: elements(*)
        end function
        integer(c_int) function f_step(m, step, time_s) bind(C, name="mm_mesh_step")
            import :: c_ptr, c_int, c_int64_t, c_double
            type(c_ptr), value :: m
            integer(c_int64_t), value :: step
            real(c_double), value :: time_s
        end function
        integer(c_int) function f_block(m, probe, level, lo, hi) bind(C, name="mm_mesh_f_block")
            import :: c_ptr, c_int, c_int64_t
            type(c_ptr), value :: m
            integer(c_int), value :: probe, level
            integer(c_int64_t), intent(in) :: lo(*), hi(*)
        end function
        integer(c_int) function f_block_value(m, probe, level, lo, hi, value) bind(C, name="mm_mesh_f_block_value")
            import :: c_ptr, c_int, c_int64_t, c_double
            type(c_ptr), value :: m
            integer(c_int), value :: probe, level
            integer(c_int64_t), intent(in) :: lo(*), hi(*)
            real(c_double), value :: value
        end function
        subroutine f_error(m, text, length) bind(C, name="mm_mesh_f_error")
            import :: c_ptr, c_int, c_char
            type(c_ptr), value :: m
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_int), value :: length
        end subroutine
        integer(c_int) function f_close(m) bind(C, name="mm_mesh_close")
            import :: c_ptr, c_int
            type(c_ptr), value :: m
        end function
    end interface

contains

    ! n: cells in each dimension, 1 to 3 of them. message: blank, or why there is no profile.
    function open_8(name, n, message) result(m)
        character(len=*), intent(in) :: name
        integer(c_int64_t), intent(in) :: n(:)
        character(len=*), intent(inout), optional :: message
        type(c_ptr) :: m
        character(len=1) :: nowhere
        integer(c_int64_t) :: cells(3)
        integer :: d

        cells = 1
        do d = 1, min(size(n), 3)
            cells(d) = n(d)
        end do
        if (present(message)) then
            m = f_open(name, len(name), 0, size(n), cells, message, len(message))
        else
            m = f_open(name, len(name), 0, size(n), cells, nowhere, 0)
        end if
    end function

    function open_4(name, n, message) result(m)
        character(len=*), intent(in) :: name
        integer, intent(in) :: n(:)
        character(len=*), intent(inout), optional :: message
        type(c_ptr) :: m
        integer(c_int64_t) :: cells(4)
        integer :: d

        do d = 1, min(size(n), 4)
            cells(d) = n(d)
        end do
        m = open_8(name, cells(1:min(size(n), 4)), message)
    end function

    function open_elements_8(name, dims, count, message) result(m)
        character(len=*), intent(in) :: name
        integer, intent(in) :: dims
        integer(c_int64_t), intent(in) :: count
        character(len=*), intent(inout), optional :: message
        type(c_ptr) :: m
        character(len=1) :: nowhere
        integer(c_int64_t) :: cells(1)

        cells(1) = count
        if (present(message)) then
            m = f_open(name, len(name), 1, dims, cells, message, len(message))
        else
            m = f_open(name, len(name), 1, dims, cells, nowhere, 0)
        end if
    end function

    function open_elements_4(name, dims, count, message) result(m)
        character(len=*), intent(in) :: name
        integer, intent(in) :: dims, count
        character(len=*), intent(inout), optional :: message
        type(c_ptr) :: m

        m = open_elements_8(name, dims, int(count, c_int64_t), message)
    end function

    subroutine give(rc, status)
        integer(c_int), intent(in) :: rc
        integer, intent(out), optional :: status

        if (present(status)) status = rc
    end subroutine

    subroutine mm_mesh_levels(m, levels, ratio, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: levels, ratio
        integer, intent(out), optional :: status

        call give(f_levels(m, levels, ratio), status)
    end subroutine

    subroutine mm_mesh_place(m, origin, spacing, status)
        type(c_ptr), intent(in) :: m
        real(c_double), intent(in) :: origin(:), spacing(:)
        integer, intent(out), optional :: status
        real(c_double) :: o(3), s(3)
        integer :: d

        o = 0
        s = 1
        do d = 1, min(size(origin), size(spacing), 3)
            o(d) = origin(d)
            s(d) = spacing(d)
        end do
        call give(f_place(m, o, s), status)
    end subroutine

    subroutine mm_mesh_rank(m, rank, ranks, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: rank, ranks
        integer, intent(out), optional :: status

        call give(f_rank(m, rank, ranks), status)
    end subroutine

    integer function mm_mesh_probe(m, name, kind)
        type(c_ptr), intent(in) :: m
        character(len=*), intent(in) :: name, kind

        mm_mesh_probe = f_probe(m, name, len(name), kind, len(kind))
    end function

    ! counter: c_funloc of a function that is bind(C), has one argument `type(c_ptr), value`
    ! and gives a real(c_double).
    integer function mm_mesh_custom(m, name, unit, counter, argument)
        type(c_ptr), intent(in) :: m, argument
        character(len=*), intent(in) :: name, unit
        type(c_funptr), intent(in) :: counter

        mm_mesh_custom = f_custom(m, name, len(name), unit, len(unit), counter, argument)
    end function

    ! The bounds of one box, as many as there are dimensions.
    subroutine bounds_4(lo, hi, low, high)
        integer, intent(in) :: lo(:), hi(:)
        integer(c_int64_t), intent(out) :: low(3), high(3)
        integer :: d

        low = 1
        high = 1
        do d = 1, min(size(lo), size(hi), 3)
            low(d) = lo(d)
            high(d) = hi(d)
        end do
    end subroutine

    subroutine bounds_8(lo, hi, low, high)
        integer(c_int64_t), intent(in) :: lo(:), hi(:)
        integer(c_int64_t), intent(out) :: low(3), high(3)
        integer :: d

        low = 1
        high = 1
        do d = 1, min(size(lo), size(hi), 3)
            low(d) = lo(d)
            high(d) = hi(d)
        end do
    end subroutine

    subroutine box_4(m, level, lo, hi, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: level, lo(:), hi(:)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(3), high(3)

        call bounds_4(lo, hi, low, high)
        call give(f_boxes(m, level, 1_c_int64_t, low, high), status)
    end subroutine

    subroutine box_8(m, level, lo, hi, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: level
        integer(c_int64_t), intent(in) :: lo(:), hi(:)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(3), high(3)

        call bounds_8(lo, hi, low, high)
        call give(f_boxes(m, level, 1_c_int64_t, low, high), status)
    end subroutine

    ! lo and hi: (dimension, box).
    subroutine boxes_4(m, level, lo, hi, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: level, lo(:, :), hi(:, :)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(size(lo, 1), size(lo, 2)), high(size(lo, 1), size(lo, 2))
        integer :: b, d

        do b = 1, size(lo, 2)
            do d = 1, size(lo, 1)
                low(d, b) = lo(d, b)
                high(d, b) = hi(d, b)
            end do
        end do
        call give(f_boxes(m, level, size(lo, 2, c_int64_t), low, high), status)
    end subroutine

    subroutine boxes_8(m, level, lo, hi, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: level
        integer(c_int64_t), intent(in) :: lo(:, :), hi(:, :)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(size(lo, 1), size(lo, 2)), high(size(lo, 1), size(lo, 2))
        integer :: b, d

        do b = 1, size(lo, 2)
            do d = 1, size(lo, 1)
                low(d, b) = lo(d, b)
                high(d, b) = hi(d, b)
            end do
        end do
        call give(f_boxes(m, level, size(lo, 2, c_int64_t), low, high), status)
    end subroutine

    ! centres: (dimension, element), or absent where they were told before.
    subroutine elements_8(m, elements, centres, status)
        type(c_ptr), intent(in) :: m
        integer(c_int64_t), intent(in) :: elements(:)
        real(c_double), intent(in), optional :: centres(:, :)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: numbers(size(elements))
        integer :: e

        do e = 1, size(elements)
            numbers(e) = elements(e)
        end do
        if (present(centres)) then
            call elements_at(m, numbers, centres, size(centres, 1), status)
        else
            call give(f_elements(m, size(elements, 1, c_int64_t), numbers, c_null_ptr), status)
        end if
    end subroutine

    subroutine elements_at(m, numbers, centres, dims, status)
        type(c_ptr), intent(in) :: m
        integer(c_int64_t), intent(in) :: numbers(:)
        real(c_double), intent(in) :: centres(:, :)
        integer, intent(in) :: dims
        integer, intent(out), optional :: status
        real(c_double), target :: x(dims * size(numbers) + 1)
        integer :: d, e

        do e = 1, min(size(numbers), size(centres, 2))
            do d = 1, dims
                x(dims * (e - 1) + d) = centres(d, e)
            end do
        end do
        call give(f_elements(m, size(numbers, 1, c_int64_t), numbers, c_loc(x)), status)
    end subroutine

    subroutine elements_4(m, elements, centres, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: elements(:)
        real(c_double), intent(in), optional :: centres(:, :)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: numbers(size(elements))
        integer :: e

        do e = 1, size(elements)
            numbers(e) = elements(e)
        end do
        call elements_8(m, numbers, centres, status)
    end subroutine

    ! time_s: the program's own time, or absent.
    subroutine step_8(m, step, time_s, status)
        type(c_ptr), intent(in) :: m
        integer(c_int64_t), intent(in) :: step
        real(c_double), intent(in), optional :: time_s
        integer, intent(out), optional :: status
        real(c_double) :: t

        t = transfer(-1_c_int64_t, 1._c_double)
        if (present(time_s)) t = time_s
        call give(f_step(m, step, t), status)
    end subroutine

    subroutine step_4(m, step, time_s, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: step
        real(c_double), intent(in), optional :: time_s
        integer, intent(out), optional :: status

        call step_8(m, int(step, c_int64_t), time_s, status)
    end subroutine

    subroutine cell_4(m, probe, cell)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, cell

        call cell_8(m, probe, int(cell, c_int64_t))
    end subroutine

    subroutine value_4(m, probe, cell, value)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, cell
        real(c_double), intent(in) :: value

        call value_8(m, probe, int(cell, c_int64_t), value)
    end subroutine

    subroutine add_4(m, probe, cell, value)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, cell
        real(c_double), intent(in) :: value

        call add_8(m, probe, int(cell, c_int64_t), value)
    end subroutine

    subroutine block_4(m, probe, level, lo, hi, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, level, lo(:), hi(:)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(3), high(3)

        call bounds_4(lo, hi, low, high)
        call give(f_block(m, probe, level, low, high), status)
    end subroutine

    subroutine block_8(m, probe, level, lo, hi, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, level
        integer(c_int64_t), intent(in) :: lo(:), hi(:)
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(3), high(3)

        call bounds_8(lo, hi, low, high)
        call give(f_block(m, probe, level, low, high), status)
    end subroutine

    subroutine block_value_4(m, probe, level, lo, hi, value, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, level, lo(:), hi(:)
        real(c_double), intent(in) :: value
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(3), high(3)

        call bounds_4(lo, hi, low, high)
        call give(f_block_value(m, probe, level, low, high, value), status)
    end subroutine

    subroutine block_value_8(m, probe, level, lo, hi, value, status)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: probe, level
        integer(c_int64_t), intent(in) :: lo(:), hi(:)
        real(c_double), intent(in) :: value
        integer, intent(out), optional :: status
        integer(c_int64_t) :: low(3), high(3)

        call bounds_8(lo, hi, low, high)
        call give(f_block_value(m, probe, level, low, high, value), status)
    end subroutine

    integer(c_int64_t) function index1_8(m, level, i)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: level
        integer(c_int64_t), intent(in) :: i

        index1_8 = index3_8(m, level, i, 1_c_int64_t, 1_c_int64_t)
    end function

    integer(c_int64_t) function index2_8(m, level, i, j)
        type(c_ptr), intent(in) :: m
        integer, intent(in) :: level
        integer(c_int64_t), intent(in) :: i, j

        index2_8 = index3_8(m, level, i, j, 1_c_int64_t)
    end function

    ! text: the first error of this mesh, or blank.
    subroutine mm_mesh_error(m, text)
        type(c_ptr), intent(in) :: m
        character(len=*), intent(inout) :: text

        call f_error(m, text, len(text))
    end subroutine

    subroutine mm_mesh_close(m, status)
        type(c_ptr), intent(inout) :: m
        integer, intent(out), optional :: status

        call give(f_close(m), status)
        m = c_null_ptr
    end subroutine
end module
