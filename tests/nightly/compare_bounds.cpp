// compare_bounds SECONDS [FIRST_SEED [FAMILY]]: compares searches for classes within a bound with brute force and with
// the bounded search without reduction on random programs, until the time is up or a difference is found.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "tests/explorer/comparison.hpp"
#include "tests/support/generator.hpp"

using namespace coopcheck;
using namespace coopcheck::testing;
int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(std::strtoll(argv[1], nullptr, 10));
    std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    struct Sum { std::size_t n=0, plain=0, red=0, more=0, vain=0; std::size_t worst_p=0, worst_r=0; std::uint64_t worst_seed=0; std::size_t pb[4]={}, rb[4]={}; std::size_t moreb[4]={}; double tp=0,tr=0;};
    std::map<std::string, Sum> sums;
    const SearchKind *red=nullptr, *plain=nullptr;
    for (const auto& k : search_kinds()) { if (k.name=="bounded, source sets") red=&k; if (k.name=="bounded, RW") plain=&k; }
    while (Clock::now() < end) {
        for (const Shape& family : families()) {
            if (Clock::now() >= end) break;
            if (argc > 3 && family.name != argv[3]) continue;
            Shape shape = family;
            if (seed % 10 != 9 && !getenv("FULL")) { shape.max_threads = std::min(shape.max_threads, 3); shape.total_operations = 12; }
            const Program program = generate(seed, shape);
            std::vector<ModelOptions> models{{}};
            if (family.name.find("time") != std::string::npos) models = {{true,0},{false,0}};
            else if (family.name.find("condition") != std::string::npos) models = {{false,0},{false,1}};
            for (const ModelOptions& model : models) {
                const auto expected = expect(program, model);
                if (!expected) continue;
                bool cut = false;
                const auto wrong = mismatch(program, model, *red, *expected, cut);
                if (wrong) {
                    std::cout << family.name << " seed " << seed << " " << *wrong << "\n";
                    const auto t = compare_family(family.name, seed % 10 == 9 || getenv("FULL") ? ProgramSize::Full : ProgramSize::Small, seed, 1, OnMismatch::Explain, Experimental::Included);
                    std::cout << t.first_mismatch << std::endl;
                    return 1;
                }
                if (cut) { std::cerr << family.name << " seed " << seed << " reduced cut\n"; }
                const auto t0 = Clock::now();
                const auto p = search(program, model, plain->options).result;
                const auto t1 = Clock::now();
                const auto r = search(program, model, red->options).result;
                const auto t2 = Clock::now();
                if (!p.exhausted || !r.exhausted) continue;
                Sum& s = sums[family.name];
                s.n++; s.plain += p.counts.paths(); s.red += r.counts.paths(); s.vain += r.counts.redundant;
                s.tp += std::chrono::duration<double>(t1-t0).count(); s.tr += std::chrono::duration<double>(t2-t1).count();
                for (std::size_t b=0;b<4;++b) {
                    std::size_t cp=0, cr=0;
                    for (std::size_t i=0;i<=b;++i) { if (i<p.paths_at_bound.size()) cp+=p.paths_at_bound[i]; if (i<r.paths_at_bound.size()) cr+=r.paths_at_bound[i]; }
                    s.pb[b]+=cp; s.rb[b]+=cr; s.moreb[b]+= cr>cp;
                }
                if (r.counts.paths() > p.counts.paths()) { s.more++; if (r.counts.paths()-p.counts.paths() > s.worst_r - s.worst_p || s.worst_r<=s.worst_p) { s.worst_r=r.counts.paths(); s.worst_p=p.counts.paths(); s.worst_seed=seed; } }
            }
        }
        ++seed;
    }
    for (const auto& [name, s] : sums) {
        std::cout << name << ": " << s.n << " plain " << s.plain << " reduced " << s.red << " (vain " << s.vain << ") more in " << s.more << " worst seed " << s.worst_seed << " " << s.worst_p << " -> " << s.worst_r << " time " << s.tp << " -> " << s.tr << " |";
        for (int b=0;b<4;++b) std::cout << " b" << b << " " << s.pb[b] << "->" << s.rb[b] << " (" << s.moreb[b] << ")";
        std::cout << "\n";
    }
    std::cout << "next seed " << seed << "\n";
}
