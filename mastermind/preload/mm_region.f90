! SPDX-License-Identifier: BSD-3-Clause
! mm_region.f90: mark regions of a Fortran program. Compile this file with the program; nothing else
! has to be linked, and nothing happens where nobody records.
!
!     use mm_region
!
!     call mm_region_begin("solve", "n", n, "tolerance", eps)
!     ...
!     call mm_region_end()
!
! As mm_region.h. Up to four parameters, integers of 4 or 8 bytes or reals of 4 or 8 bytes.
module mm_region
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: mm_region_begin, mm_region_end

    type, bind(c) :: region_value
        type(c_ptr) :: name
        integer(c_int) :: mode, real
        integer(c_long_long) :: integer
        real(c_double) :: number
    end type

    abstract interface
        integer(c_int) function begin_function(name, count, values) bind(c)
            import :: c_ptr, c_int, region_value
            type(c_ptr), value :: name
            integer(c_int), value :: count
            type(region_value), intent(in) :: values(*)
        end function
        subroutine end_function() bind(c)
        end subroutine
    end interface
    interface
        type(c_funptr) function dlsym(handle, name) bind(c, name="dlsym")
            import :: c_funptr, c_ptr, c_char
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
        end function
    end interface

    logical, save :: looked = .false.
    procedure(begin_function), pointer, save :: beginner => null()
    procedure(end_function), pointer, save :: ender => null()
    integer, parameter :: longest = 80

contains

    subroutine look()
        type(c_funptr) :: begins, ends

        begins = dlsym(c_null_ptr, "mm_preload_region_begin" // c_null_char)
        ends = dlsym(c_null_ptr, "mm_preload_region_end" // c_null_char)
        if (c_associated(begins) .and. c_associated(ends)) then
            call c_f_procpointer(begins, beginner)
            call c_f_procpointer(ends, ender)
        end if
        looked = .true.
    end subroutine

    subroutine set(value, text, name, number)
        type(region_value), intent(out) :: value
        character(kind=c_char, len=longest), target, intent(out) :: text
        character(len=*), intent(in) :: name
        class(*), intent(in) :: number

        text = trim(name) // c_null_char
        value%name = c_loc(text(1:1))
        value%mode = 0
        value%real = 0
        value%integer = 0
        value%number = 0
        select type (number)
        type is (integer(c_int))
            value%integer = int(number, c_long_long)
        type is (integer(c_int64_t))
            value%integer = int(number, c_long_long)
        type is (real(c_float))
            value%real = 1
            value%number = real(number, c_double)
        type is (real(c_double))
            value%real = 1
            value%number = number
        end select
    end subroutine

    subroutine mm_region_begin(name, name1, value1, name2, value2, name3, value3, name4, value4)
        character(len=*), intent(in) :: name
        character(len=*), intent(in), optional :: name1, name2, name3, name4
        class(*), intent(in), optional :: value1, value2, value3, value4
        character(kind=c_char, len=longest), target :: region, text(4)
        type(region_value) :: values(4)
        integer(c_int) :: count, ignored

        if (.not. looked) call look()
        if (.not. associated(beginner)) return
        count = 0
        if (present(name1) .and. present(value1)) then
            count = 1
            call set(values(1), text(1), name1, value1)
        end if
        if (present(name2) .and. present(value2) .and. count == 1) then
            count = 2
            call set(values(2), text(2), name2, value2)
        end if
        if (present(name3) .and. present(value3) .and. count == 2) then
            count = 3
            call set(values(3), text(3), name3, value3)
        end if
        if (present(name4) .and. present(value4) .and. count == 3) then
            count = 4
            call set(values(4), text(4), name4, value4)
        end if
        region = trim(name) // c_null_char
        ignored = beginner(c_loc(region(1:1)), count, values)
    end subroutine

    subroutine mm_region_end()
        if (associated(ender)) call ender()
    end subroutine
end module
