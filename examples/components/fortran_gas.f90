! SPDX-License-Identifier: BSD-3-Clause
! fortran_gas.f90: a component written in Fortran alone: the gas of the shock problem.
!
! The class descriptor is data here as in C. A Fortran pointer to a scalar, and a procedure
! pointer component, are plain addresses that the linker fills in. Only, the language gives
! no C name to a variable that holds such, so the build renames its symbol to cca_class.
module fortran_gas
    use iso_c_binding
    implicit none
    private

    integer, parameter :: name_size = 32

    ! What the strings and lists of the descriptor point to.
    character(kind=c_char, len=name_size), target, save :: class_name = &
        "FortranGas"//c_null_char
    character(kind=c_char, len=name_size), target, save :: summary = &
        "ideal gas, in Fortran"//c_null_char
    character(kind=c_char, len=name_size), target, save :: port_name = &
        "gas"//c_null_char
    character(kind=c_char, len=name_size), target, save :: port_type = &
        "shock.GasPort/1"//c_null_char
    character(kind=c_char, len=name_size), target, save :: gamma_name = &
        "gamma"//c_null_char
    character(kind=c_char, len=name_size), target, save :: gamma_value = &
        "1.4"//c_null_char
    character(kind=c_char, len=name_size), target, save :: gamma_low = &
        "1.001"//c_null_char
    character(kind=c_char, len=name_size), target, save :: gamma_high = &
        "10"//c_null_char
    character(kind=c_char, len=name_size), target, save :: gamma_help = &
        "ratio of specific heats"//c_null_char

    integer(c_size_t), parameter :: gas_port_size = 24
    integer, parameter :: cca_double = 4

    ! struct gas_port of ports/gas_port.h
    type :: gas_port
        character(kind=c_char, len=name_size), pointer :: type => port_type
        integer(c_size_t) :: size = gas_port_size
        procedure(gas_gamma), pointer, nopass :: gamma => gas_gamma
    end type

    type(gas_port), target, save :: port

    ! struct cca_port_impl[2] of framework/cca.h: one port, at the start of an instance, and zeros
    type :: port_list
        character(kind=c_char, len=name_size), pointer :: name => port_name
        integer(c_size_t) :: offset = 0
        type(gas_port), pointer :: port => port
        integer(c_intptr_t) :: last(3) = 0
    end type

    ! struct cca_param_decl[2]: one parameter, and zeros
    type :: param_list
        character(kind=c_char, len=name_size), pointer :: name => gamma_name
        integer(c_int) :: type = cca_double, padding = 0
        character(kind=c_char, len=name_size), pointer :: value => gamma_value
        character(kind=c_char, len=name_size), pointer :: low => gamma_low
        character(kind=c_char, len=name_size), pointer :: high => gamma_high
        integer(c_intptr_t) :: choices = 0, unit = 0
        character(kind=c_char, len=name_size), pointer :: help => gamma_help
        integer(c_intptr_t) :: group = 0, last(9) = 0
    end type

    type(port_list), target, save :: implements
    type(param_list), target, save :: params

    ! An instance: a gas_port, and a pointer to its services
    type, bind(C) :: gas
        type(c_ptr) :: port_type
        integer(c_size_t) :: port_size
        type(c_funptr) :: gamma
        type(c_ptr) :: services
    end type

    ! struct cca_class
    type :: class_decl
        integer(c_int) :: abi = 2, size = 136
        character(kind=c_char, len=name_size), pointer :: name => class_name
        character(kind=c_char, len=name_size), pointer :: summary => summary
        integer(c_intptr_t) :: provides = 0, uses = 0
        type(param_list), pointer :: params => params
        integer(c_intptr_t) :: quality = 0, proxy_for = 0, serves = 0
        integer(c_int) :: flags = 0, padding = 0
        integer(c_intptr_t) :: create = 0, set_services = 0, destroy = 0
        integer(c_size_t) :: instance_size = gas_port_size + 8, services_offset = gas_port_size
        type(port_list), pointer :: implements => implements
        integer(c_intptr_t) :: signatures = 0
    end type

    type(class_decl), public, save :: cca_class

    interface
        function param_double(services, name) &
            bind(C, name="cca_services_param_double") result(number)
            import :: c_ptr, c_double
            type(c_ptr), value :: services, name
            real(c_double) :: number
        end function
    end interface

contains

    function gas_gamma(port) bind(C, name="") result(gamma)
        type(c_ptr), value :: port
        real(c_double) :: gamma
        type(gas), pointer :: self

        call c_f_pointer(port, self)
        gamma = param_double(self%services, c_loc(gamma_name))
    end function
end module
