// ConTest, "A real-life race condition defect": the skeleton of a crawler. Workers wait for addresses and for
// connections, a manager hands both out and stops everybody; the parts are in the folder crawler/. To stop a
// worker the manager looks whether it has a connection and tells that one to stop; in between the worker may
// have given it back, and the pointer is null. (In the original both looks are without a lock. In C++ the
// compiler would make one of them; here they are calls of a method that locks, as each of them should be.)
// Two preemptions: the worker while it has its connection, the manager between its two looks.
// Fixed: the worker's lock is held around both.
#include <cassert>
#include <cstddef>
#include <thread>

#include "corpus/contest/crawler/manager.hpp"
#include "corpus/contest/crawler/report.hpp"
#include "corpus/threads.h"

// crawler [WORKERS [PAGES [CONNECTIONS]]]
int main(int count, char** arguments) {
    crawler::CrawlOptions options;
    options.workers = number_argument(count, arguments, 1, 1, 1, most_threads);
    const crawler::Web web(static_cast<std::size_t>(number_argument(count, arguments, 2, 1, 1, 100)));
    options.connections = number_argument(count, arguments, 3, 1, 1, 100);
    crawler::Manager manager(web, options);
    manager.start();
    // Somebody has seen enough.
    std::thread impatient([&] { manager.stop(); });
    impatient.join();
    manager.wait();
    const std::size_t visited = manager.index().visited();
    assert(visited <= web.size());
    assert(manager.index().pages_with("page") == visited);
    crawler::print_report(manager.statistics(), manager.index().titles());
}
