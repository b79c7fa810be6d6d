# What every folder's CMakeLists.txt uses: options, flags and `harn_library`.

option(HARN_TESTS "build the unit tests" ON)
option(HARN_FUZZ "build the fuzzers (needs clang)" OFF)
set(HARN_SANITIZE "" CACHE STRING "sanitizers to build with, as for -fsanitize")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -ffunction-sections")

add_compile_options(-Wall -Wextra -Wno-missing-field-initializers -fno-plt)
if(HARN_WERROR)
  add_compile_options(-Werror)
endif()
# GCC 12 sees accesses out of bounds where the thread sanitizer's calls keep it from seeing which branch is taken.
if(HARN_SANITIZE STREQUAL "thread")
  add_compile_options(-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(HARN_SANITIZE)
  add_compile_options(-fsanitize=${HARN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HARN_SANITIZE})
  # src/base/counted_mutexes.cpp
  foreach(call lock trylock unlock)
    add_link_options(-Wl,--wrap=pthread_mutex_${call})
  endforeach()
  add_compile_definitions(HARN_SANITIZED=1)
endif()

# harn_sanitize_less(WITHOUT FILE...): files of the folder that are built without these checks of the undefined-behaviour
# sanitizer, because with them they take minutes. The address sanitizer stays.
function(harn_sanitize_less without)
  if(HARN_SANITIZE MATCHES "undefined")
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=${without})
  endif()
endfunction()

if(HARN_FUZZ)
  # clang 14 does not see the standard library's std::expected.
  add_compile_options(-include ${PROJECT_SOURCE_DIR}/tests/fuzz/clang_expected.h -Wno-invalid-constexpr)
endif()

find_program(HARN_CCACHE ccache)
if(HARN_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/ccache.sh ${PROJECT_SOURCE_DIR})
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
find_program(HARN_MOLD mold)
if(HARN_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Libraries go into the binary where Debian has an archive of them: loading shared objects is most of
# what a short run costs. {fmt} is compiled into src/base.
add_library(fmt INTERFACE)
set(HARN_LIBRARIES re2 utf8proc yaml-cpp xxhash boost_context)
foreach(name ${HARN_LIBRARIES})
  find_library(HARN_LIB_${name} NAMES lib${name}.a ${name})
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE ${HARN_LIB_${name}})
endforeach()
if(NOT HARN_SANITIZE)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections)
endif()

# harn_precompiled(TARGET FILE): the first target that asks compiles the header, the others use what it has.
function(harn_precompiled target file)
  get_property(owner GLOBAL PROPERTY harn_precompiled_${file})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${file})
    set_property(GLOBAL PROPERTY harn_precompiled_${file} ${target})
  endif()
endfunction()

# harn_library(NAME SOURCES a.cpp ... DEPENDS base ... [LINK fmt ...] [HEADERS pch_effects.h])
# One library per folder of src. DEPENDS is the layer rule: tools/check_includes.py compares it
# with the folder's includes. HEADERS: what is precompiled for it.
function(harn_library name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(harn_${name} STATIC ${ARG_SOURCES})
  target_include_directories(harn_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
  foreach(dependency ${ARG_DEPENDS})
    target_link_libraries(harn_${name} PUBLIC harn_${dependency})
  endforeach()
  target_link_libraries(harn_${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS pch.h)
  endif()
  harn_precompiled(harn_${name} ${PROJECT_SOURCE_DIR}/cmake/${ARG_HEADERS})
endfunction()

# harn_parts(TARGET VARIABLE): the target, and our libraries that it needs.
function(harn_parts target variable)
  set(found ${target})
  set(open ${target})
  while(open)
    list(POP_FRONT open next)
    get_target_property(needed ${next} LINK_LIBRARIES)
    foreach(one ${needed})
      if(one MATCHES "^harn_" AND NOT one IN_LIST found)
        list(APPEND found ${one})
        list(APPEND open ${one})
      endif()
    endforeach()
  endwhile()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# harn_order_startup(TARGET FILE): lays the functions FILE lists next to each other, so that a short run
# maps them and not the whole binary. Only lld can; tools/startup_order.py writes FILE.
#
# The program stands at a fixed address: its tables hold 19,000 addresses, and to write them down anew at each start
# takes as long as all the rest of a short run (the heap, the stack and the libraries still move).
function(harn_order_startup target file)
  if(NOT HARN_SANITIZE)
    target_link_options(${target} PRIVATE -no-pie)
  endif()
  find_program(HARN_LLD ld.lld)
  if(HARN_LLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${target} PRIVATE -fuse-ld=lld -Wl,--symbol-ordering-file=${file} -Wl,--no-warn-symbol-ordering)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${file})
  endif()
endfunction()
