# Included once, by the top CMakeLists.txt, before any kernel: finds nvcc (PATH, CUDACXX, then
# /usr/local/cuda) and sets LIUBAI_CUDA_FOUND. The emulated twins need no nvcc and are always there.
#
# liubai_cuda_kernels(NAME SOURCES a.cu ... LIBRARIES l ...)
#     NAME_cuda                    for the GPU, where nvcc is found
#     NAME_emu, NAME_emu_asan, NAME_emu_tsan
#                                  the same files as C++ against kernels/emulation; built on demand
# liubai_kernel_test(NAME [KERNELS k] SOURCES t.cc|t.cu ... [LIBRARIES l] [EMULATED_ONLY]
#                    [SANITIZED_FILTER f])
#     a GoogleTest program built once for each of the above, and its ctest entries:
#     NAME.emu.{asc,desc,random}   label emu
#     NAME.emu_asan, NAME.emu_tsan label emu, with --gtest_filter=f
#     NAME.gpu                     label gpu; skips where there is no device
# liubai_planted_bug(NAME KERNEL a.cu TEST t FILTER f VARIANT v REPLACE from to [from to ...]
#                    EXPECT regex)
#     a proof that test t can fail: with a copy of the kernel in which each `from`, a text that
#     occurs once, is replaced, it must print what `regex` describes
include_guard()
include(CheckLanguage)

set(LIUBAI_CUDA_FOUND FALSE)
if(LIUBAI_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(LIUBAI_NVCC nvcc PATHS /usr/local/cuda/bin)
    mark_as_advanced(LIUBAI_NVCC)
    if(LIUBAI_NVCC)
      set(ENV{CUDACXX} ${LIUBAI_NVCC})  # Not CMAKE_CUDA_COMPILER: check_language would trust it.
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)  # `native` fails where there is no GPU.
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
  endif()
  if(CMAKE_CUDA_COMPILER AND TARGET CUDA::cudart_static)
    set(LIUBAI_CUDA_FOUND TRUE)
    list(JOIN CMAKE_CUDA_ARCHITECTURES ", sm_" architectures)
    message(STATUS "CUDA kernels: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION} for "
                   "sm_${architectures}")
  else()
    message(STATUS "CUDA kernels: no working nvcc, so they are not compiled for GPUs; tests run "
                   "them on the emulator")
  endif()
else()
  message(STATUS "CUDA kernels: LIUBAI_CUDA is OFF, so they are not compiled for GPUs; tests run "
                 "them on the emulator")
endif()

# CMake 3.25 knows no C++20 for nvcc 13.0 and silently passes no flag. A spill to local memory is
# an error with the compiler that the kernels were written for, and a warning with others.
set(LIUBAI_NVCC_OPTIONS -std=c++20)
if(LIUBAI_CUDA_FOUND AND CMAKE_CUDA_COMPILER_VERSION MATCHES "^13\\.0\\.")
  list(APPEND LIUBAI_NVCC_OPTIONS -Xptxas=--warn-on-spills,--warning-as-error)
elseif(LIUBAI_CUDA_FOUND)
  list(APPEND LIUBAI_NVCC_OPTIONS -Xptxas=--warn-on-spills)
endif()

set(LIUBAI_EMU_VARIANTS emu emu_asan emu_tsan)
set(LIUBAI_EMU_FLAGS_emu -O2)
set(LIUBAI_EMU_FLAGS_emu_asan -O1 -fno-omit-frame-pointer -fsanitize=address,undefined
                              -fno-sanitize-recover=undefined)
set(LIUBAI_EMU_FLAGS_emu_tsan -O1 -fno-omit-frame-pointer -fsanitize=thread)
set(LIUBAI_EMU_DEFINE_emu_asan EMU_ASAN)
set(LIUBAI_EMU_DEFINE_emu_tsan EMU_TSAN)
set(LIUBAI_EMU_ISA "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(LIUBAI_EMU_ISA -mavx2 -mfma -mf16c)  # Halves are converted in hardware.
endif()

foreach(variant IN LISTS LIUBAI_EMU_VARIANTS)  # The engine itself is never instrumented.
  add_library(liubai_emulator_${variant} STATIC EXCLUDE_FROM_ALL
              ${PROJECT_SOURCE_DIR}/kernels/emulation/emu.cc)
  target_compile_features(liubai_emulator_${variant} PUBLIC cxx_std_20)
  target_include_directories(liubai_emulator_${variant} PUBLIC
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/include)
  target_compile_definitions(liubai_emulator_${variant} PUBLIC
    GPU_EMULATE ${LIUBAI_EMU_DEFINE_${variant}})
  target_compile_options(liubai_emulator_${variant}
    PUBLIC ${LIUBAI_EMU_ISA} -g1
    PRIVATE -O3 -Wall -Wextra
    INTERFACE -Wno-unknown-pragmas ${LIUBAI_EMU_FLAGS_${variant}})
  target_link_options(liubai_emulator_${variant} INTERFACE ${LIUBAI_EMU_FLAGS_${variant}})
endforeach()

# A source cannot have two languages in one directory: the emulated targets compile a generated
# file that includes the .cu.
function(liubai_emulated_sources out)
  set(result "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(source MATCHES "\\.cu$")
      cmake_path(GET source FILENAME name)
      string(SHA1 hash ${source})
      string(SUBSTRING ${hash} 0 8 hash)
      set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/emu/${hash}_${name}.cc)
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n" @ONLY)
      set(source ${wrapper})
    endif()
    list(APPEND result ${source})
  endforeach()
  set(${out} ${result} PARENT_SCOPE)
endfunction()

function(liubai_cuda_target target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:${LIUBAI_NVCC_OPTIONS}>")
  target_include_directories(${target} PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endfunction()

function(liubai_cuda_kernels name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(LIUBAI_CUDA_FOUND)
    add_library(${name}_cuda STATIC ${A_SOURCES})
    liubai_cuda_target(${name}_cuda)
    target_link_libraries(${name}_cuda PUBLIC ${A_LIBRARIES} CUDA::cudart_static)
  endif()
  liubai_emulated_sources(sources ${A_SOURCES})
  foreach(variant IN LISTS LIUBAI_EMU_VARIANTS)
    add_library(${name}_${variant} STATIC EXCLUDE_FROM_ALL ${sources})
    target_compile_options(${name}_${variant} PRIVATE -Wall -Wextra)
    target_link_libraries(${name}_${variant} PUBLIC liubai_emulator_${variant} ${A_LIBRARIES})
  endforeach()
endfunction()

function(liubai_kernel_test name)
  cmake_parse_arguments(A "EMULATED_ONLY" "KERNELS;SANITIZED_FILTER" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT A_SANITIZED_FILTER)
    set(A_SANITIZED_FILTER *)
  endif()
  liubai_emulated_sources(sources ${A_SOURCES})
  foreach(variant IN LISTS LIUBAI_EMU_VARIANTS)
    add_library(${name}_objects_${variant} OBJECT ${sources})
    target_compile_options(${name}_objects_${variant} PRIVATE -Wall -Wextra)
    target_link_libraries(${name}_objects_${variant} PUBLIC
      liubai_emulator_${variant} ${A_LIBRARIES} GTest::gtest_main)
    add_executable(${name}_${variant})
    target_link_libraries(${name}_${variant} PRIVATE ${name}_objects_${variant})
    if(A_KERNELS)
      target_link_libraries(${name}_${variant} PRIVATE ${A_KERNELS}_${variant})
    endif()
    if(variant STREQUAL "emu")
      foreach(order asc desc random)
        add_test(NAME ${name}.emu.${order} COMMAND ${name}_emu)
        set_tests_properties(${name}.emu.${order} PROPERTIES LABELS emu TIMEOUT 300
                             ENVIRONMENT LIUBAI_EMU_ORDER=${order})
      endforeach()
    else()
      add_test(NAME ${name}.${variant}
               COMMAND ${name}_${variant} --gtest_filter=${A_SANITIZED_FILTER})
      set_tests_properties(${name}.${variant} PROPERTIES LABELS emu TIMEOUT 300
                           ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=0")
    endif()
  endforeach()
  if(LIUBAI_CUDA_FOUND AND NOT A_EMULATED_ONLY)
    add_executable(${name}_gpu ${A_SOURCES})
    liubai_cuda_target(${name}_gpu)
    target_link_libraries(${name}_gpu PRIVATE ${A_LIBRARIES} GTest::gtest_main
                          CUDA::cudart_static)
    if(A_KERNELS)
      target_link_libraries(${name}_gpu PRIVATE ${A_KERNELS}_cuda)
    endif()
    add_test(NAME ${name}.gpu COMMAND ${name}_gpu)
    set_tests_properties(${name}.gpu PROPERTIES LABELS gpu TIMEOUT 300
                         SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endif()
endfunction()

function(liubai_planted_bug name)
  cmake_parse_arguments(PARSE_ARGV 1 A "" "KERNEL;TEST;FILTER;VARIANT;EXPECT" "REPLACE")
  cmake_path(ABSOLUTE_PATH A_KERNEL NORMALIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${A_KERNEL})
  file(READ ${A_KERNEL} text)
  while(A_REPLACE)
    list(POP_FRONT A_REPLACE from to)
    string(FIND "${text}" "${from}" first)
    string(FIND "${text}" "${from}" last REVERSE)
    if(first EQUAL -1 OR NOT first EQUAL last)
      message(FATAL_ERROR "${name}: not exactly one place in ${A_KERNEL} has the text '${from}'")
    endif()
    string(REPLACE "${from}" "${to}" text "${text}")
  endwhile()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/emu/${name}.cc)
  file(GENERATE OUTPUT ${source} CONTENT "${text}")
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${A_TEST}_objects_${A_VARIANT})
  add_test(NAME ${name} COMMAND ${name} --gtest_filter=${A_FILTER})
  set_tests_properties(${name} PROPERTIES LABELS emu TIMEOUT 300
    PASS_REGULAR_EXPRESSION "${A_EXPECT}"
    ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=0")
endfunction()
