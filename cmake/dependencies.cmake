# The usual recipes silently pick OpenBLAS's pthread build, whose threads fight with OpenMP's: ask for the OpenMP build
# by its folder first.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-multiarch OUTPUT_VARIABLE hl_triplet
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT hl_triplet)
    set(hl_triplet ${CMAKE_LIBRARY_ARCHITECTURE})
endif()
set(ENV{PKG_CONFIG_PATH} "/usr/lib/${hl_triplet}/openblas-openmp/pkgconfig:$ENV{PKG_CONFIG_PATH}")

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(MINIZIP REQUIRED IMPORTED_TARGET minizip)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
