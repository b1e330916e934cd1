# cmake -DSOURCE=… -DHEADER=… -P commit.cmake: a header with the commit that a program is built from, so that a
# benchmark can state it. "unknown" without git, or where the sources are no checkout of their own. The file is
# left alone when nothing has changed.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  file(REAL_PATH "${SOURCE}" source)
  if(NOT failed AND top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                    RESULT_VARIABLE failed)
    if(NOT failed AND described MATCHES "^[-+._0-9A-Za-z/]+$")
      set(commit "${described}")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT
     "#pragma once\n#define LIUBAI_COMMIT \"@commit@\"\n" @ONLY)
