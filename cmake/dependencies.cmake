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
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)

if(NOT OPENBLAS_LIBRARY_DIRS MATCHES "openmp")
    string(JOIN "' in '" openblas openblas ${OPENBLAS_LIBRARY_DIRS})
    message(WARNING "The library '${openblas}' may not be OpenBLAS's OpenMP build (Debian: libopenblas-openmp-dev); "
                    "others are slower here.")
endif()

# Debian's shared cairo loads the libraries of X11, its static one brings only what is used. Programs take the static
# one; its needs are shared ones again. It cannot go into a shared library.
find_library(HL_CAIRO_STATIC libcairo.a)
pkg_check_modules(CAIRO_NEEDS QUIET IMPORTED_TARGET pixman-1 fontconfig freetype2 libpng zlib)
if(HL_CAIRO_STATIC AND CAIRO_NEEDS_FOUND AND NOT HEADLIGHT_PORTABLE)
    get_target_property(hl_cairo_shared PkgConfig::CAIRO INTERFACE_LINK_LIBRARIES)
    set(hl_program "$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>")
    set_target_properties(PkgConfig::CAIRO PROPERTIES INTERFACE_LINK_LIBRARIES
        "$<${hl_program}:${HL_CAIRO_STATIC}>;$<${hl_program}:PkgConfig::CAIRO_NEEDS>;$<$<NOT:${hl_program}>:${hl_cairo_shared}>")
endif()
