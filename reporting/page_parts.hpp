#pragma once

#include <string_view>

// The files of reporting/page, made part of the program by embed.cmake.
namespace coopcheck::page {

extern const std::string_view page_html;
extern const std::string_view style_css;
extern const std::string_view model_js;
extern const std::string_view diagram_js;
extern const std::string_view plots_js;
extern const std::string_view view_js;

}  // namespace coopcheck::page
