# Flags of our own code. FMA contraction is chosen: -std=c11 alone would turn it off, and rows are always cut where
# contraction cannot change a result. No -ffast-math.
add_library(hl_flags INTERFACE)
target_include_directories(hl_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_definitions(hl_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(hl_flags INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
                       -Wformat=2 -Wundef -ffp-contract=fast -fno-math-errno -fno-trapping-math)
if(HEADLIGHT_NATIVE)
    target_compile_options(hl_flags INTERFACE -march=native)
endif()
if(HEADLIGHT_WERROR)
    target_compile_options(hl_flags INTERFACE -Werror)
endif()

# hl_folder(core OpenMP::OpenMP_C ...): the folder's sources as the static libraries hl_core (float) and hl_core_double.
# Arguments naming a folder's library (hl_core) stand for both precisions.
function(hl_folder name)
    file(GLOB sources CONFIGURE_DEPENDS *.c)
    foreach(suffix "" _double)
        set(target hl_${name}${suffix})
        add_library(${target} STATIC ${sources})
        target_link_libraries(${target} PRIVATE hl_flags)
        foreach(dependency ${ARGN})
            if(dependency MATCHES "^hl_")
                target_link_libraries(${target} PUBLIC ${dependency}${suffix})
            else()
                target_link_libraries(${target} PUBLIC ${dependency})
            endif()
        endforeach()
    endforeach()
    target_compile_definitions(hl_${name}_double PUBLIC HL_DOUBLE)
endfunction()
