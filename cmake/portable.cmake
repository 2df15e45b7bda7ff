# One build for every x86-64 machine: libheadlight for any of them, and the same again for two later generations of
# CPUs in the folders where the dynamic loader looks first on such a CPU (glibc 2.33; see glibc-hwcaps in ld.so(8)):
#
#   lib/libheadlight.so.1                             any x86-64 (SSE2)
#   lib/glibc-hwcaps/x86-64-v3/libheadlight.so.1      AVX2 and FMA
#   lib/glibc-hwcaps/x86-64-v4/libheadlight.so.1      AVX-512
#
# For other processors only the first is built. The static library is compiled as the first.

# hl_portable_libraries(core layers ...): the later generations of these folders.
function(hl_portable_libraries)
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" OR NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
        return()
    endif()
    include(CheckCCompilerFlag)
    check_c_compiler_flag(-mprefer-vector-width=512 HL_PREFER_VECTOR_WIDTH)
    hl_portable_library(x86-64-v3 FOLDERS ${ARGN} OPTIONS -march=x86-64-v3)
    # Compilers keep to half the width unless told that whole vectors pay.
    hl_portable_library(x86-64-v4 FOLDERS ${ARGN}
                        OPTIONS -march=x86-64-v4 $<$<BOOL:${HL_PREFER_VECTOR_WIDTH}>:-mprefer-vector-width=512>)
endfunction()

# libheadlight compiled with these options, in the loader's folder for this generation. It is built with `headlight`,
# or programs would run an older state of it.
function(hl_portable_library generation)
    cmake_parse_arguments(arg "" "" "FOLDERS;OPTIONS" ${ARGN})
    foreach(folder ${arg_FOLDERS})
        string(REPLACE "/" "_" name ${folder})
        set(objects hl_${name}_${generation})
        add_library(${objects} OBJECT $<TARGET_PROPERTY:hl_${name},SOURCES>)
        target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:hl_${name},COMPILE_DEFINITIONS>)
        target_compile_options(${objects} PRIVATE ${arg_OPTIONS})
        target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:hl_${name},LINK_LIBRARIES>)
    endforeach()
    set(target headlight_${generation})
    hl_bundle(${target} SHARED _${generation} ${arg_FOLDERS})
    hl_export_only(${target} exports.map)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME headlight VERSION ${PROJECT_VERSION}
                          SOVERSION ${HL_SOVERSION}
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/glibc-hwcaps/${generation})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${generation} NAMELINK_SKIP
            COMPONENT library)
    add_dependencies(headlight ${target})
endfunction()

# hl_linked(libraries hl_core hl_train ...): what programs link to have these folders: themselves; but in a portable
# build the shared libheadlight for all that it holds, with the libraries from outside that come with folders.
function(hl_linked variable)
    set(libraries ${ARGN})
    if(HEADLIGHT_PORTABLE)
        get_property(outside GLOBAL PROPERTY HL_OUTSIDE)
        string(JOIN "|" folders ${HL_LIBRARY_FOLDERS})
        string(REPLACE "/" "_" folders "${folders}")
        list(FILTER libraries EXCLUDE REGEX "^hl_(${folders})$")
        list(APPEND libraries headlight ${outside})
    endif()
    set(${variable} ${libraries} PARENT_SCOPE)
endfunction()

# A program finds the shared libheadlight from its own place, in the build folder as installed.
function(hl_portable_rpath program)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE libdir)
    set_target_properties(${program} PROPERTIES INSTALL_RPATH
                          "$ORIGIN/lib;$ORIGIN/${libdir}")
endfunction()
