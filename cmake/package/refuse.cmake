# Read by CPack before it makes a package: one of a build for this CPU alone would end on another.
if(CPACK_GENERATOR STREQUAL "DEB" AND NOT (CPACK_HEADLIGHT_PORTABLE AND CPACK_HEADLIGHT_PREFIX STREQUAL "/usr"))
    message(FATAL_ERROR "This build is for one CPU or not for /usr; packages come from: cmake --workflow --preset package")
endif()
