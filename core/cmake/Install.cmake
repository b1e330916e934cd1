# What `cmake --install` puts where: the SDK's headers and static libraries, its CMake package, a
# pkg-config file and the program. Included by the top CMakeLists.txt after all targets are known.
#
# The installed tree may be moved: nothing in it holds an absolute path. tests/consumer builds
# against a moved copy.
include_guard()
include(CMakePackageConfigHelpers)

# The whole SDK by one name.
add_library(liubai_sdk INTERFACE)
add_library(liubai::liubai ALIAS liubai_sdk)
set_target_properties(liubai_sdk PROPERTIES EXPORT_NAME liubai)
target_link_libraries(liubai_sdk INTERFACE
  liubai::memory liubai::engine liubai::kernels liubai::core)

install(TARGETS liubai_core liubai_engine liubai_memory EXPORT liubaiTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS liubai_kernels liubai_sdk EXPORT liubaiTargets  # No headers of their own.
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Apart from the others, since it needs Boost: COMPONENTS asio asks for it.
install(TARGETS liubai_asio EXPORT liubaiAsioTargets
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(liubai_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/liubai)
install(EXPORT liubaiTargets NAMESPACE liubai:: DESTINATION ${liubai_package_dir})
install(EXPORT liubaiAsioTargets NAMESPACE liubai:: DESTINATION ${liubai_package_dir})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/liubaiConfig.cmake.in ${PROJECT_BINARY_DIR}/liubaiConfig.cmake
  INSTALL_DESTINATION ${liubai_package_dir}
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/liubaiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/liubaiConfig.cmake
              ${PROJECT_BINARY_DIR}/liubaiConfigVersion.cmake
        DESTINATION ${liubai_package_dir})

# The prefix as seen from the folder of the .pc file.
file(RELATIVE_PATH liubai_pc_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/liubai.pc.in ${PROJECT_BINARY_DIR}/liubai.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/liubai.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
