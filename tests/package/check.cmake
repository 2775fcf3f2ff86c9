# cmake -D BUILD=DIR -D SOURCE=DIR -D WORK=DIR -P check.cmake: installs coopcheck, and uses it as a project of somebody else does.
function(run expected)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL expected)
        message(FATAL_ERROR "${ARGN}\nexits with ${result}, not ${expected}:\n${output}")
    endif()
endfunction()

function(require_file path)
    if(NOT EXISTS ${path})
        message(FATAL_ERROR "${path} is not there.")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(0 ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
foreach(path bin/coopcheck include/coopcheck.h share/man/man1/coopcheck.1 share/bash-completion/completions/coopcheck)
    require_file(${WORK}/installed/${path})
endforeach()
# Every option of explore is in the man page, in which a dash is \-.
execute_process(COMMAND ${WORK}/installed/bin/coopcheck explore --help OUTPUT_VARIABLE help)
file(READ ${WORK}/installed/share/man/man1/coopcheck.1 man)
string(REGEX MATCHALL "\n  --[a-z-]+" options "${help}")
foreach(option IN LISTS options)
    string(STRIP "${option}" option)
    string(REPLACE "-" "\\-" option "${option}")
    string(FIND "${man}" "${option}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${option} is not in the man page.")
    endif()
endforeach()
# The completion offers the commands and their options.
execute_process(COMMAND bash -c "export PATH=${WORK}/installed/bin:$PATH
    source ${WORK}/installed/share/bash-completion/completions/coopcheck
    COMP_WORDS=(coopcheck ex); COMP_CWORD=1; _coopcheck; echo \"\${COMPREPLY[*]}\"
    COMP_WORDS=(coopcheck explore --sari); COMP_CWORD=2; _coopcheck; echo \"\${COMPREPLY[*]}\"
    COMP_WORDS=(coopcheck explore --color al); COMP_CWORD=3; _coopcheck; echo \"\${COMPREPLY[*]}\""
    OUTPUT_VARIABLE completed)
if(NOT completed STREQUAL "explore\n--sarif\nalways\n")
    message(FATAL_ERROR "The completion says: ${completed}")
endif()

run(0 ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/client -D CMAKE_PREFIX_PATH=${WORK}/installed)
run(0 ${CMAKE_COMMAND} --build ${WORK}/client)
run(0 ctest --test-dir ${WORK}/client -R "^(proves|cut_and_content)$")
run(8 ctest --test-dir ${WORK}/client -R "^finds$")
run(8 ctest --test-dir ${WORK}/client -R "^cut$")
foreach(file trace.json report.html junit.xml results.sarif)
    require_file(${WORK}/client/coopcheck/finds/${file})
endforeach()
file(REMOVE_RECURSE ${WORK})
