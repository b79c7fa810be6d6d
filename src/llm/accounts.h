#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "vm/vm.h"

// What model calls have cost, and how much they may cost.
//
// A call is charged to several accounts: that of the program, those of the agents it is made for, its own. What it may cost at
// most is taken out of all of them before it is made, or out of none: calls that run at the same time together never get more
// than there is. Afterwards what it did cost is settled. Of a VM; shared by all tasks.
namespace harn::llm {

struct Amount {
  double usd = 0;
  bool is_priced = true;  // false: nobody knows what it costs
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
};

// What does not fit, and where: the name of the limit, what it allows, what has been spent and reserved of it.
struct BrokenLimit {
  std::string name;
  double most = 0;
  double used = 0;
};

// "$0.0042", "$1.30".
std::string money_text(double usd);
// What calls have cost, as people read it. A price that nobody knows is not nothing.
std::string cost_text(double usd, int64_t calls, int64_t unpriced_calls);

class Accounts {
 public:
  struct Limits {
    std::optional<double> usd;
    std::optional<int64_t> input_tokens, output_tokens;
    // Of both kinds. Nothing is reserved for it: no call is made once so many are used, and the last one may go beyond.
    std::optional<int64_t> tokens;
    std::string usd_name = "total_budget_usd";  // as the one who set it calls it
  };
  struct Spent {
    double usd = 0;
    int64_t unpriced_calls = 0;
    int64_t input_tokens = 0, output_tokens = 0, calls = 0, duration_ms = 0;
  };
  static constexpr uint64_t kProgram = 0;  // the account that every call is charged to

  static Accounts& of(vm::Vm& vm) { return vm.local<Accounts>(); }

  uint64_t open(Limits limits);
  void close(uint64_t account);
  void limit_program(Limits limits);
  std::optional<BrokenLimit> reserve(const std::vector<uint64_t>& accounts, const Amount& amount);
  void settle(const std::vector<uint64_t>& accounts, const Amount& reserved, const Amount& used, int64_t duration_ms);
  void give_back(const std::vector<uint64_t>& accounts, const Amount& reserved);
  // Nothing: there is no such account.
  std::optional<Spent> spent(uint64_t account);
  std::optional<double> usd_left(uint64_t account);

  struct Account {
    Limits limits;
    Spent spent;
    Amount reserved;
  };
  // For a program that is put away: nothing runs.
  std::map<uint64_t, Account>& all() { return accounts_; }
  uint64_t& last_number() { return last_; }

 private:
  std::optional<BrokenLimit> broken_by(const Account& account, const Amount& amount) const;

  Mutex lock_;
  std::map<uint64_t, Account> accounts_ = {{kProgram, {}}};
  uint64_t last_ = 0;
};

}  // namespace harn::llm
