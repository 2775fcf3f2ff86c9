# shellcheck shell=bash
# Shared by the scripts in this folder; to be sourced, not run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

build_packages=(
    g++ cmake ninja-build pkg-config
    libcli11-dev libspdlog-dev doctest-dev libgtest-dev libboost-context-dev libdw-dev libelf-dev libzydis-dev libseccomp-dev
    nlohmann-json3-dev libpugixml-dev
)

# What the tests need on top of that.
test_packages=(gdb)
# The page of a report is tested in a browser where there is one.
browser_packages=(chromium chromium-driver python3)

say() {
    echo "$*" >&2
}

# Installs those of the given Debian packages that are missing. Silent when none is.
ensure_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "This is not a Debian system; install what provides these Debian packages yourself: $*"
        return 0
    fi
    local package missing=()
    for package in "$@"; do
        if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            missing+=("$package")
        fi
    done
    if ((${#missing[@]} == 0)); then return 0; fi

    local as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            say "These packages are missing and need root or sudo to be installed: ${missing[*]}"
            return 1
        fi
        as_root=(sudo)
    fi
    say "installing: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
    "${apt[@]}" update >&2 && "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 || {
        say "Could not install: ${missing[*]}"
        return 1
    }
}

# Runs a command in the root, one at a time for each preset. Prints only if it fails, to stderr.
# Works also where its result is tested, so it cannot rely on set -e.
quietly() {
    local preset=$1 folder=$root/build/$1
    shift
    mkdir -p "$folder" || return 1
    (
        flock 9
        cd "$root" || exit 1
        if ! "$@" >"$folder/scripts.log" 2>&1 </dev/null; then
            cat "$folder/scripts.log" >&2
            say "The build ($preset) failed."
            exit 1
        fi
    ) 9>"$folder/scripts.lock"
}

configure() {
    quietly "$1" cmake --preset "$1"
}

# configure_and_build PRESET [TARGET...]: everything if no target is named. Ninja configures again when it must.
configure_and_build() {
    local preset=$1 target targets=()
    shift
    for target in "$@"; do targets+=(--target "$target"); done
    if [[ ! -f $root/build/$preset/build.ninja ]]; then configure "$preset" || return 1; fi
    quietly "$preset" cmake --build "build/$preset" --parallel "$(nproc)" "${targets[@]}"
}

# The names of the files in a folder with one of the given endings, without the ending: names_in FOLDER c cpp
names_in() {
    local folder=$1 ending file
    shift
    for ending in "$@"; do
        for file in "$root/$folder"/*."$ending"; do
            if [[ -f $file ]]; then basename "$file" ".$ending"; fi
        done
    done | sort
}

# The .cpp and .hpp files of the product and its tests, relative to the root.
source_files() {
    (cd "$root" && find core cmd explorer tracer reporting tests -name '*.[ch]pp' | sort)
}
