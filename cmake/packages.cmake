# Debian's packages and the source tarball, both by CPack:
#
#   headlight          the programs, their manual pages and completion, the configs, docs/
#   libheadlight1      the shared library, for each generation of CPUs (portable.cmake)
#   libheadlight-dev   headers, the static library, CMake package and pkg-config file
#   python3-headlight  the package of python/
#
# The first and the third need the second, the fourth needs the first.
#
# A package is of the release that it is built on: its version ends in that, as in 0.3.0-1~deb12. The preset `package`
# makes them all; other builds are for one CPU or another prefix, and are refused.
set(CPACK_PACKAGE_NAME headlight)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "the Headlight authors <$ENV{DEBEMAIL}>")
if("$ENV{DEBEMAIL}" STREQUAL "")
    set(CPACK_PACKAGE_CONTACT "the Headlight authors <headlight@localhost>")
endif()
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/refuse.cmake)
set(CPACK_HEADLIGHT_PORTABLE ${HEADLIGHT_PORTABLE})
set(CPACK_HEADLIGHT_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON) # programs are linked without symbols
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL programs library development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(release 0)
if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release release REGEX "^VERSION_ID=")
    string(REGEX REPLACE "[^0-9.]" "" release "${release}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~deb${release})
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib) # where programs have libheadlight.so.1
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)

# hl_package(programs NAME headlight SECTION science DEPENDS ... DESCRIPTION ...): the component as a package, with what
# Debian wants to find in each.
function(hl_package component)
    cmake_parse_arguments(arg "" "NAME;SECTION;DEPENDS;DESCRIPTION;OVERRIDES" "" ${ARGN})
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${arg_NAME} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${arg_SECTION} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS ${arg_DEPENDS} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_DESCRIPTION ${arg_DESCRIPTION} PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION ${arg_DESCRIPTION} PARENT_SCOPE)

    set(folder ${PROJECT_BINARY_DIR}/package/${arg_NAME})
    string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
    file(CONFIGURE OUTPUT ${folder}/changelog.Debian NEWLINE_STYLE UNIX CONTENT
"headlight (${version}) unstable; urgency=medium

  * Built from the sources of ${PROJECT_VERSION}; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
    configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${folder}/changelog COPYONLY)
    execute_process(COMMAND gzip -9nf ${folder}/changelog.Debian ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${folder}/changelog.gz ${folder}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${arg_NAME}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${arg_NAME} RENAME copyright COMPONENT ${component}
            EXCLUDE_FROM_ALL)
    if(arg_OVERRIDES)
        file(WRITE ${folder}/overrides ${arg_OVERRIDES})
        install(FILES ${folder}/overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${arg_NAME}
                COMPONENT ${component} EXCLUDE_FROM_ALL)
    endif()
endfunction()

set(runpath "# OpenBLAS's OpenMP build lies in a folder of its own, and the one that the system prefers may be another.\n")
hl_package(programs NAME headlight SECTION science DEPENDS "libheadlight1 (= ${version}), libopenblas0-openmp"
           DESCRIPTION "train transformer encoders and see what every head learns
Trains a transformer encoder on a CPU, on small tasks or on a text, treebank
or table of one's own, and shows each attention head as a map, as numbers and
as a label that it has earned. Also reads BERT, MiniLM, DistilBERT, ELECTRA,
RoBERTa, XLM-RoBERTa, CamemBERT and GPT-2. For teaching, studying and research."
           OVERRIDES "${runpath}headlight: custom-library-search-path *
# Handed to sbatch, which needs no permission to run them.
headlight: script-not-executable *.sbatch*\n")
hl_package(library NAME libheadlight1 SECTION libs DEPENDS libopenblas0-openmp
           DESCRIPTION "transformer encoders and their attention heads (library)
Headlight trains transformer encoders on a CPU and shows what every attention
head learns. This is its shared library, compiled for several generations of
CPUs, of which the loader takes the best."
           OVERRIDES "${runpath}libheadlight1: custom-library-search-path *\n")
# The trigger is enough. Names of scripts that are not there keep older CPacks from writing them: of a package that has a
# postrm something would be left after `apt remove`.
file(WRITE ${PROJECT_BINARY_DIR}/package/shlibs
     "libheadlight ${HL_SOVERSION} libheadlight1 (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/package/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/shlibs
    ${PROJECT_BINARY_DIR}/package/triggers ${PROJECT_BINARY_DIR}/package/none/postinst
    ${PROJECT_BINARY_DIR}/package/none/postrm)
set(needed libopenblas-openmp-dev zlib1g-dev libminizip-dev libjansson-dev libcairo2-dev)
if(LIBXSMM_FOUND)
    list(APPEND needed libxsmm-dev)
endif()
string(JOIN ", " needed "libheadlight1 (= ${version})" ${needed})
hl_package(development NAME libheadlight-dev SECTION libdevel DEPENDS "${needed}"
           DESCRIPTION "transformer encoders and their attention heads (development)
Headlight trains transformer encoders on a CPU and shows what every attention
head learns. These are the headers of its library, the static library, a CMake
package and a pkg-config file.")
hl_package(python NAME python3-headlight SECTION python
           DEPENDS "headlight (>= ${PROJECT_VERSION}), python3 (>= 3.9), python3-numpy"
           DESCRIPTION "transformer encoders and their attention heads (Python)
Headlight trains transformer encoders on a CPU and shows what every attention
head learns. This package opens its runs in Python: config, tables, patterns
as arrays, maps in a notebook, the model as a module of PyTorch.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-pandas)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/package/postinst
    ${PROJECT_SOURCE_DIR}/cmake/package/prerm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
install(DIRECTORY python/headlight DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL
        PATTERN __pycache__ EXCLUDE)
# What pip and importlib.metadata know of it, as pyproject.toml has it. Without RECORD pip leaves it to apt.
file(READ ${PROJECT_SOURCE_DIR}/pyproject.toml pyproject)
string(REGEX MATCH "\ndescription = \"([^\"\n]+)\"" found "${pyproject}")
set(summary ${CMAKE_MATCH_1})
string(REGEX MATCH "\nrequires-python = \"([^\"\n]+)\"" found "${pyproject}")
set(information ${PROJECT_BINARY_DIR}/package/headlight-${PROJECT_VERSION}.dist-info)
file(CONFIGURE OUTPUT ${information}/METADATA NEWLINE_STYLE UNIX CONTENT
"Metadata-Version: 2.1
Name: headlight
Version: ${PROJECT_VERSION}
Summary: ${summary}
Requires-Python: ${CMAKE_MATCH_1}
Requires-Dist: numpy
")
file(WRITE ${information}/INSTALLER "debian\n")
install(DIRECTORY ${information} DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/headlight COMPONENT programs EXCLUDE_FROM_ALL)
install(DIRECTORY docs python/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/headlight COMPONENT programs
        EXCLUDE_FROM_ALL PATTERN .ipynb_checkpoints EXCLUDE
        REGEX "/docs/gallery/(make|page[.].*)$" EXCLUDE) # the gallery is made in the sources

# What git ignores stays out.
set(CPACK_SOURCE_GENERATOR TXZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME headlight-${PROJECT_VERSION})
string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" root "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${root}/\\.git/" "^${root}/build[^/]*/" "^${root}/runs/" "^${root}/dist/"
    "\\.egg-info/" "/__pycache__/" "/\\.mypy_cache/" "/\\.ipynb_checkpoints/")
include(CPack)
