# coopcheck_add_test(NAME name COMMAND target [args...]
#                    [BOUND n] [TIME seconds] [STRATEGY name] [EACH_TEST] [ALLOW_INCOMPLETE] [OPTIONS option...])
#
# Registers a test of CTest that explores the thread schedules of a program: an executable target of this project or the
# path of a program. It fails if something is found. A search that a limit has ended fails too, unless
# ALLOW_INCOMPLETE says that finding nothing is enough. Traces and reports go to coopcheck/<name> in the build folder.
function(coopcheck_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "EACH_TEST;ALLOW_INCOMPLETE" "NAME;BOUND;TIME;STRATEGY" "COMMAND;OPTIONS")
    if(NOT arg_NAME OR NOT arg_COMMAND)
        message(FATAL_ERROR "coopcheck_add_test needs NAME and COMMAND.")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "coopcheck_add_test(${arg_NAME}) does not know: ${arg_UNPARSED_ARGUMENTS}")
    endif()

    list(POP_FRONT arg_COMMAND program)
    if(TARGET ${program})
        set(program $<TARGET_FILE:${program}>)
    endif()
    string(MAKE_C_IDENTIFIER "${arg_NAME}" folder)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/coopcheck/${folder})
    set(options --out ${out} --junit ${out}/junit.xml --sarif ${out}/results.sarif)
    foreach(option BOUND TIME STRATEGY)
        if(DEFINED arg_${option})
            string(TOLOWER ${option} word)
            list(APPEND options --${word} ${arg_${option}})
        endif()
    endforeach()
    if(arg_EACH_TEST)
        list(APPEND options --each-test)
    endif()

    set(command coopcheck::coopcheck explore ${options} ${arg_OPTIONS} -- ${program} ${arg_COMMAND})
    if(arg_ALLOW_INCOMPLETE)
        # Exit code 3: nothing found, but not complete.
        set(command sh -c "\"$@\" || [ $? -eq 3 ]" sh
            $<TARGET_FILE:coopcheck::coopcheck> explore ${options} ${arg_OPTIONS} -- ${program} ${arg_COMMAND})
    endif()
    add_test(NAME ${arg_NAME} COMMAND ${command})
    # One CPU each: coopcheck pins the program it explores.
    set_tests_properties(${arg_NAME} PROPERTIES LABELS coopcheck)
endfunction()
