# Flags of our own code. FMA contraction is chosen: -std=c11 alone would turn it off, and rows are always cut where
# contraction cannot change a result. No -ffast-math. Nobody replaces single functions of the library, so that the
# compiler may inline them although all code is position-independent.
add_library(hl_flags INTERFACE)
target_include_directories(hl_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_definitions(hl_flags INTERFACE _POSIX_C_SOURCE=200809L HL_VERSION="${PROJECT_VERSION}")
target_compile_options(hl_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
                       -Wformat=2 -Wundef -ffp-contract=fast -fno-math-errno -fno-trapping-math
                       -fno-semantic-interposition
                       $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>) # where clang cannot vectorise, that is no fault
if(HEADLIGHT_NATIVE)
    target_compile_options(hl_flags INTERFACE -march=native)
endif()
if(HEADLIGHT_WERROR)
    target_compile_options(hl_flags INTERFACE -Werror)
endif()

# A program may run the library on threads with small stacks: no function of it takes more than 8 KB. Our own programs
# (programs/) have their main thread's, where configs and opened runs may stand. Sanitizers and builds that are not
# optimised take more.
set(hl_frames)
if(CMAKE_BUILD_TYPE MATCHES "^Rel" AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize|--coverage|-O0")
    set(hl_frames -Wframe-larger-than=8192)
endif()

# hl_folder(hl_core ...) in layers/: the folder's sources as the static library hl_layers (float) and, for the folders
# in HL_DOUBLE_FOLDERS, the objects hl_layers_double. Arguments of the form hl_<folder> are the folder's arrows: it may
# include their headers, no others (the test style_arrows looks), and they stand for both precisions. Further arguments
# are libraries from outside. core/ops gives hl_core_ops, programs/train hl_programs_train. Main functions stand in
# main.c, which stays out.
# data/text, data/text/unicode, train/ranks and train/config are rooms of data and train and have no arrows of their own.
function(hl_folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    string(REPLACE "/" "_" name ${folder})
    file(GLOB sources CONFIGURE_DEPENDS *.c text/*.c text/unicode/*.c ranks/*.c config/*.c verbs/*.c)
    list(FILTER sources EXCLUDE REGEX "[/_]main\\.c$")
    set(arrows ${ARGN})
    list(FILTER arrows INCLUDE REGEX "^hl_")
    set(outside ${ARGN})
    list(FILTER outside EXCLUDE REGEX "^hl_")

    set(linked ${arrows})
    if(NOT folder IN_LIST HL_LIBRARY_FOLDERS)
        hl_linked(linked ${arrows})
    endif()
    add_library(hl_${name} STATIC ${sources})
    target_link_libraries(hl_${name} PRIVATE hl_flags PUBLIC ${linked} ${outside})
    if(NOT folder MATCHES "^programs")
        target_compile_options(hl_${name} PRIVATE ${hl_frames})
    endif()
    if(folder IN_LIST HL_DOUBLE_FOLDERS)
        list(TRANSFORM arrows APPEND _double OUTPUT_VARIABLE arrows_double)
        add_library(hl_${name}_double OBJECT ${sources})
        target_compile_definitions(hl_${name}_double PUBLIC HL_DOUBLE)
        target_compile_options(hl_${name}_double PRIVATE ${hl_frames})
        target_link_libraries(hl_${name}_double PRIVATE hl_flags PUBLIC ${arrows_double} ${outside})
    endif()

    list(TRANSFORM arrows REPLACE "^hl_" "")
    list(TRANSFORM arrows REPLACE "^core_" "core/")
    string(JOIN "," arrows ${arrows})
    set_property(GLOBAL APPEND PROPERTY HL_ARROWS "${folder}:${arrows}")
    set_property(GLOBAL APPEND PROPERTY HL_OUTSIDE ${outside})
endfunction()

# hl_program("shows ..."): the program of this folder, programs/<name>, directly in the build folder; installed as
# headlight-<name>, with a manual page, which says first what it does, and the words that shells complete. `installed` is all that is installed, which is
# what ./quickstart builds.
add_custom_target(installed)
function(hl_program what)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME name)
    add_executable(${name} main.c ${PROJECT_SOURCE_DIR}/programs/before_main.c)
    target_link_libraries(${name} PRIVATE hl_flags hl_programs_${name})
    # Installed as it is, under another name, so it is linked with the final RPATH.
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} BUILD_WITH_INSTALL_RPATH ON)
    if(HEADLIGHT_PORTABLE)
        hl_portable_rpath(${name})
    endif()
    add_dependencies(installed ${name})
    set_property(GLOBAL APPEND PROPERTY HL_PROGRAMS ${name})
    install(PROGRAMS $<TARGET_FILE:${name}> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME headlight-${name}
            COMPONENT programs)

    set(scripts ${PROJECT_SOURCE_DIR}/cmake/package)
    set(page ${PROJECT_BINARY_DIR}/man/headlight-${name}.1.gz)
    set(words ${PROJECT_BINARY_DIR}/words/headlight-${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man ${PROJECT_BINARY_DIR}/words)
    add_custom_command(OUTPUT ${page} DEPENDS ${name} ${scripts}/man_page ${scripts}/verbs VERBATIM COMMAND ${scripts}/man_page
                       $<TARGET_FILE:${name}> headlight-${name} ${PROJECT_VERSION} ${what} ${page})
    add_custom_command(OUTPUT ${words} DEPENDS ${name} train ${scripts}/words ${scripts}/verbs VERBATIM COMMAND ${scripts}/words
                       $<TARGET_FILE:${name}> $<TARGET_FILE:train> ${words})
    add_custom_target(texts_of_${name} ALL DEPENDS ${page} ${words})
    add_dependencies(installed texts_of_${name})
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
    install(FILES ${words} DESTINATION ${CMAKE_INSTALL_DATADIR}/headlight/words COMPONENT programs)
    install(FILES ${scripts}/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            RENAME headlight-${name} COMPONENT programs)
endfunction()
