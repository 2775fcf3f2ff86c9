# Writes the CTest file that runs every test case of a doctest program by itself. Run after each link of the program:
#   cmake -D PROGRAM=... -D OUTPUT=... -D TIMEOUT_SECONDS=... -P discover_tests.cmake
# doctest brings such a script along, but that one breaks on names with a semicolon or a bracket.

cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND ${PROGRAM} --list-test-cases OUTPUT_VARIABLE listing RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} cannot list its tests: ${result}\n${listing}")
endif()

# A line is an element of a list below, so what CMake treats specially in lists is spelled out for that time.
string(REPLACE ";" "<semicolon>" listing "${listing}")
string(REPLACE "[" "<left>" listing "${listing}")
string(REPLACE "]" "<right>" listing "${listing}")
string(REPLACE "\n" ";" lines "${listing}")

set(script "")
set(seen "")
foreach(line IN LISTS lines)
    if(line STREQUAL "" OR line MATCHES "^(=+$|<left>doctest<right> )")
        continue()
    endif()
    string(REPLACE "<semicolon>" ";" name "${line}")
    string(REPLACE "<left>" "[" name "${name}")
    string(REPLACE "<right>" "]" name "${name}")
    if(line IN_LIST seen)
        message(FATAL_ERROR "Two tests are named \"${name}\"; give one of them another name.")
    endif()
    list(APPEND seen "${line}")

    # A comma separates the names in a filter of doctest. A filter that matches no test is a success for doctest; here it
    # means that the name did not survive the way.
    string(REPLACE "," "\\," filter "${name}")
    string(APPEND script
        "add_test([==[${name}]==] [==[${PROGRAM}]==] [==[--test-case=${filter}]==])\n"
        "set_tests_properties([==[${name}]==] PROPERTIES TIMEOUT ${TIMEOUT_SECONDS}"
        " FAIL_REGULAR_EXPRESSION [==[test cases: +0 ]==])\n")
endforeach()
file(WRITE ${OUTPUT} "${script}")
