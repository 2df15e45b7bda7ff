# The libraries that Headlight links. Read by its own build and, installed, by programs that link it statically.

# The usual recipes silently pick OpenBLAS's pthread build, whose threads fight with OpenMP's: look into the folder of
# the OpenMP build first (Debian's place for it).
set(ENV{PKG_CONFIG_PATH} "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp/pkgconfig:$ENV{PKG_CONFIG_PATH}")

find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
pkg_check_modules(LIBXSMM IMPORTED_TARGET libxsmm) # optional: small products are slower without it
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(MINIZIP REQUIRED IMPORTED_TARGET minizip)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)

if(NOT OPENBLAS_LIBRARY_DIRS MATCHES "openmp")
    string(JOIN "' in '" openblas openblas ${OPENBLAS_LIBRARY_DIRS})
    message(WARNING "The library '${openblas}' may not be OpenBLAS's OpenMP build (Debian: libopenblas-openmp-dev); "
                    "others are slower here.")
endif()
