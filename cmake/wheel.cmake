# Python's wheel, which runs on a system that has nothing but the C library and Python. The script python/make_wheel
# prepares the folder HEADLIGHT_WHEEL and calls this build:
#
#   HEADLIGHT_WHEEL/installed     what is installed as it is: lib/ with OpenBLAS and GCC's OpenMP, share/ with a font
#                                 and licences
#
# Debian's static libraries are compiled for programs, not for shared libraries. So they go into the programs, and the
# shared libheadlight, of which a wheel has one for each generation of CPUs, uses what the program holds.

# Everything is found from its own place.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH OFF)
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../..") # of lib/ and of lib/glibc-hwcaps/<generation>/
install(DIRECTORY ${HEADLIGHT_WHEEL}/installed/ DESTINATION . COMPONENT library USE_SOURCE_PERMISSIONS)
file(GLOB notebooks python/examples/*.ipynb)
install(FILES ${notebooks} DESTINATION share/headlight/notebooks COMPONENT library)

# hl_wheel_shared_only(libraries): keeps those that a wheel holds as shared libraries.
function(hl_wheel_shared_only variable)
    set(libraries ${${variable}})
    list(FILTER libraries INCLUDE REGEX "^(PkgConfig::OPENBLAS|OpenMP::OpenMP_C|m)$")
    set(${variable} ${libraries} PARENT_SCOPE)
endfunction()
