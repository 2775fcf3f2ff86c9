# cmake --install: the program, its header, its CMake package, the man page and the completion of bash.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS coopcheck RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES tracer/coopcheck.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Made with the program itself: it knows its options.
set(man_page ${PROJECT_BINARY_DIR}/coopcheck.1)
add_custom_command(OUTPUT ${man_page}
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:coopcheck> -D PROJECT_VERSION=${PROJECT_VERSION}
        -D INPUT=${PROJECT_SOURCE_DIR}/docs/man/coopcheck.1.in -D OUTPUT=${man_page}
        -P ${PROJECT_SOURCE_DIR}/docs/man/make.cmake
    DEPENDS coopcheck docs/man/coopcheck.1.in docs/man/make.cmake
    VERBATIM)
add_custom_target(coopcheck_man ALL DEPENDS ${man_page})
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/completion/coopcheck.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME coopcheck)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/coopcheck)
configure_package_config_file(cmd/install/coopcheck-config.cmake.in ${PROJECT_BINARY_DIR}/coopcheck-config.cmake
    INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/coopcheck-config-version.cmake COMPATIBILITY SameMinorVersion
    ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/coopcheck-config.cmake ${PROJECT_BINARY_DIR}/coopcheck-config-version.cmake
    cmd/install/coopcheck_add_test.cmake
    DESTINATION ${package})
