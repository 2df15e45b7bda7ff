# hl_libraries(core layers ...): these folders as libheadlight, shared and static, with their public headers, a CMake
# package and a pkg-config file; and those of HL_DOUBLE_FOLDERS as libheadlight_double, the same files with double for
# hl_real, which the gradient checks link and which is not installed.
function(hl_libraries)
    hl_bundle(headlight SHARED "" ${ARGN})
    hl_bundle(headlight_static STATIC "" ${ARGN})
    hl_bundle(headlight_double SHARED _double ${HL_DOUBLE_FOLDERS})
    add_library(headlight::headlight ALIAS headlight)
    add_library(headlight::headlight_static ALIAS headlight_static)
    hl_export_only(headlight exports.map)
    hl_export_only(headlight_double exports.map)
    target_compile_definitions(headlight_double INTERFACE HL_DOUBLE)
    set_target_properties(headlight PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${HL_SOVERSION})
    set_target_properties(headlight_static PROPERTIES OUTPUT_NAME headlight)
    hl_install(${ARGN})
endfunction()

# The objects of the folders as one library, which hides what it is made of.
function(hl_bundle target type suffix)
    set(objects)
    foreach(folder ${ARGN})
        string(REPLACE "/" "_" name ${folder})
        list(APPEND objects $<TARGET_OBJECTS:hl_${name}${suffix}>)
    endforeach()
    add_library(${target} ${type} ${objects})
    get_property(outside GLOBAL PROPERTY HL_OUTSIDE)
    if(HEADLIGHT_WHEEL AND type STREQUAL "SHARED")
        hl_wheel_shared_only(outside)
    endif()
    target_link_libraries(${target} PRIVATE ${outside})
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                               $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/headlight>)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C
                          ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endfunction()

# Exports only what the version script in this folder names. Calls inside the library stay inside, whatever else the
# process has loaded.
function(hl_export_only target script)
    set(path ${PROJECT_SOURCE_DIR}/cmake/${script})
    target_link_options(${target} PRIVATE LINKER:-Bsymbolic LINKER:--version-script=${path})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${path})
endfunction()

function(hl_install)
    include(CMakePackageConfigHelpers)
    set(package ${CMAKE_INSTALL_LIBDIR}/cmake/headlight)
    add_dependencies(installed headlight headlight_static)
    install(TARGETS headlight EXPORT headlight
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development) # all that follows
    install(TARGETS headlight_static EXPORT headlight_static)
    install(EXPORT headlight NAMESPACE headlight:: DESTINATION ${package} FILE headlightShared.cmake)
    install(EXPORT headlight_static NAMESPACE headlight:: DESTINATION ${package} FILE headlightStatic.cmake)
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/headlightConfig.cmake.in
                                  ${PROJECT_BINARY_DIR}/headlightConfig.cmake INSTALL_DESTINATION ${package})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/headlightConfigVersion.cmake
                                     COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/headlightConfig.cmake ${PROJECT_BINARY_DIR}/headlightConfigVersion.cmake
            DESTINATION ${package})
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/dependencies.cmake DESTINATION ${package}
            RENAME headlightDependencies.cmake)
    # The headers of a folder are public: programs may include them, include/headlight.h reaches each. What only the
    # library's own files and its tests include stands in <folder>/private and is not installed.
    foreach(folder ${ARGN} data/text train/ranks)
        file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.h)
        install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headlight/${folder})
    endforeach()
    install(FILES ${PROJECT_SOURCE_DIR}/include/headlight.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headlight)
    hl_install_pkgconfig()
endfunction()

# headlight.pc finds its folders from its own place, so that the installed tree can be moved. It names the folder of
# OpenBLAS instead of the module openblas, which may be another build of it.
function(hl_install_pkgconfig)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
               OUTPUT_VARIABLE HL_PC_PREFIX)
    set(modules)
    set(flags ${OpenMP_C_FLAGS})
    get_property(outside GLOBAL PROPERTY HL_OUTSIDE)
    foreach(library ${outside})
        if(library STREQUAL "PkgConfig::OPENBLAS")
            list(APPEND flags ${OPENBLAS_LDFLAGS})
            if(OPENBLAS_LIBRARY_DIRS) # not where it lies in a folder that the loader searches anyway
                list(APPEND flags -Wl,-rpath,${OPENBLAS_LIBRARY_DIRS})
            endif()
        elseif(library MATCHES "^PkgConfig::(.+)$")
            list(APPEND modules ${${CMAKE_MATCH_1}_MODULE_NAME})
        elseif(NOT library MATCHES "::")
            list(APPEND flags -l${library})
        endif()
    endforeach()
    string(JOIN " " HL_PC_REQUIRES ${modules})
    string(JOIN " " HL_PC_LIBS ${flags})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/headlight.pc.in ${PROJECT_BINARY_DIR}/headlight.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/headlight.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
