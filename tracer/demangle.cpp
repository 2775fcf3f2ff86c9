#include "tracer/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>

namespace coopcheck::tracer {

std::string demangled(const std::string& name) {
    // Without the prefix it is a C name; the demangler would take `f` for the type float.
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string result = status == 0 && text != nullptr ? text : name;
    std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): the ABI function allocates with malloc
    return result;
}

}  // namespace coopcheck::tracer
