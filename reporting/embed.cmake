# cmake -D OUTPUT=FILE.cpp -D FOLDER=DIR -P embed.cmake: the parts of the page as texts in C++.
# A raw string of GCC can have any length; what ends it must not occur in the files.
set(code "// Made from reporting/page by embed.cmake.\n#include \"reporting/page_parts.hpp\"\n\nnamespace coopcheck::page {\n\n")
foreach(part page.html style.css model.js diagram.js plots.js view.js)
    file(READ ${FOLDER}/${part} text)
    if(text MATCHES "\\)part\"")
        message(FATAL_ERROR "${part} contains what ends a raw string.")
    endif()
    string(MAKE_C_IDENTIFIER ${part} name)
    string(APPEND code "const std::string_view ${name} = R\"part(${text})part\";\n\n")
endforeach()
string(APPEND code "}  // namespace coopcheck::page\n")
file(WRITE ${OUTPUT} "${code}")
