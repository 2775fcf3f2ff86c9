#pragma once

// CLI11's declarations take longer to compile than what they are needed for: most files only pass an App on.
namespace CLI {  // NOLINT(readability-identifier-naming): theirs
class App;
}
