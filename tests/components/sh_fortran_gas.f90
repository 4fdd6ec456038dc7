! SPDX-License-Identifier: BSD-3-Clause
! sh_fortran_gas.f90: a component written in Fortran alone: the gas of the shock problem.
!
! The class descriptor is data here as in C. A Fortran pointer to a scalar, and a procedure
! pointer component, are plain addresses that the linker fills in. Only, the language gives
! no C name to a variable that holds such, so the build renames its symbol to cca_class.
module sh_fortran_gas
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

    ! struct cca_port_decl[2] of framework/cca.h: one port, and zeros
    type :: port_list
        character(kind=c_char, len=name_size), pointer :: name => port_name
        character(kind=c_char, len=name_size), pointer :: type => port_type
        integer(c_size_t) :: size = gas_port_size
        integer(c_int) :: min_connections = 0, max_connections = 0, flags = 0, padding = 0
        integer(c_intptr_t) :: last(5) = 0
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

    type(port_list), target, save :: provides
    type(param_list), target, save :: params

    ! struct cca_class
    type :: class_decl
        integer(c_int) :: abi = 2, size = 104
        character(kind=c_char, len=name_size), pointer :: name => class_name
        character(kind=c_char, len=name_size), pointer :: summary => summary
        type(port_list), pointer :: provides => provides
        integer(c_intptr_t) :: uses = 0
        type(param_list), pointer :: params => params
        integer(c_intptr_t) :: quality = 0, proxy_for = 0, serves = 0
        integer(c_int) :: flags = 0, padding = 0
        procedure(gas_create), pointer, nopass :: create => gas_create
        procedure(gas_set_services), pointer, nopass :: set_services => gas_set_services
        procedure(gas_destroy), pointer, nopass :: destroy => gas_destroy
    end type

    type(class_decl), public, save :: cca_class

    ! struct gas_port of ports/gas_port.h, with the instance behind it
    type, bind(C) :: gas
        type(c_ptr) :: port_type
        integer(c_size_t) :: port_size
        type(c_funptr) :: gamma
        type(c_ptr) :: services
    end type

    ! struct cca_error of ports/cca_error.h
    type, bind(C) :: error
        integer(c_int) :: code
        integer(c_int) :: exception
        character(kind=c_char) :: text(512)
    end type

    interface
        function add_provides_port(services, port, name, properties, err) &
            bind(C, name="cca_services_add_provides_port") result(code)
            import :: c_ptr, c_int
            type(c_ptr), value :: services, port, name, properties, err
            integer(c_int) :: code
        end function
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

    function gas_create(class, err) bind(C, name="") result(instance)
        type(c_ptr), value :: class, err
        type(c_ptr) :: instance
        type(gas), pointer :: self
        type(error), pointer :: words
        integer :: status

        instance = c_null_ptr
        status = 1
        if (c_associated(class)) allocate (self, stat=status)
        if (status /= 0) then
            if (.not. c_associated(err)) return
            call c_f_pointer(err, words)
            words%code = -12 ! ENOMEM
            words%text(1:14) = transfer("out of memory"//c_null_char, words%text(1:14))
            return
        end if
        self%port_type = c_loc(port_type)
        self%port_size = gas_port_size
        self%gamma = c_funloc(gas_gamma)
        instance = c_loc(self)
    end function

    function gas_set_services(instance, services, err) bind(C, name="") result(code)
        type(c_ptr), value :: instance, services, err
        integer(c_int) :: code
        type(gas), pointer :: self

        call c_f_pointer(instance, self)
        self%services = services
        code = add_provides_port(services, instance, c_loc(port_name), c_null_ptr, err)
    end function

    subroutine gas_destroy(instance) bind(C, name="")
        type(c_ptr), value :: instance
        type(gas), pointer :: self

        call c_f_pointer(instance, self)
        deallocate (self)
    end subroutine

end module
