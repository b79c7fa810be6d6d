// A shop that lets a Harn program decide about its prices: what the program may do is limited, what it asks of the shop
// are functions of this file, and the shop calls it from several threads.
#include <harn/harn.h>

#include <cstdio>
#include <thread>

using namespace harn::embed;

constexpr const char* kRules = R"(
fn total(items) {
  let prices = parallel each items { item -> price_of(item) }
  log("priced ${items.count()} items")
  return {items: items.count(), total: prices.sum()}
}

fn curious() { return exec("whoami") }
)";

int main() {
  Options options;
  options.deny = {"process", "network"};
  options.output = [](Stream, std::string_view text) { printf("rules: %.*s", int(text.size()), text.data()); };

  Vm vm(std::move(options));
  const std::map<std::string, double> prices = {{"cake", 3.5}, {"tea", 2.25}};
  auto added = vm.add_function("price_of", "(item: string) -> float", [&](const Arguments& args) -> Result<Value> {
    auto found = prices.find(args[0].text());
    if (found == prices.end()) return fail("not_found", "we do not sell " + args[0].text());
    return found->second;
  });
  Loaded loaded = vm.load_text("rules.harn", kRules);
  if (!added || !loaded) return 1;

  std::thread customer([&] {
    auto bill = vm.call("total", {List{"tea", "cake", "tea"}});
    if (bill) printf("%lld items: %.2f\n", (long long)(*bill)["items"].integer(), (*bill)["total"].number());
  });
  customer.join();
  auto unknown = vm.call("total", {List{"tea", "coffee"}});
  if (!unknown) printf("%s: %s\n", unknown.error().kind.c_str(), unknown.error().message.c_str());
  auto curious = vm.call("curious");
  if (!curious) printf("%s: %s\n", curious.error().kind.c_str(), curious.error().message.c_str());
}
