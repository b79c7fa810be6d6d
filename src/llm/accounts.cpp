#include "llm/accounts.h"

#include "base/fmt.h"

namespace harn::llm {

std::string money_text(double usd) { return usd < 0.01 ? fmt::format("${:.4f}", usd) : fmt::format("${:.2f}", usd); }

std::string cost_text(double usd, int64_t calls, int64_t unpriced_calls) {
  if (unpriced_calls == 0) return money_text(usd);
  if (unpriced_calls == calls) return "cost unknown";
  return fmt::format("{} and what {} {} without a known price cost", money_text(usd), unpriced_calls,
                     unpriced_calls == 1 ? "call" : "calls");
}

uint64_t Accounts::open(Limits limits) {
  std::lock_guard guard(lock_);
  accounts_[++last_].limits = std::move(limits);
  return last_;
}

void Accounts::close(uint64_t account) {
  std::lock_guard guard(lock_);
  if (account != kProgram) accounts_.erase(account);
}

void Accounts::limit_program(Limits limits) {
  std::lock_guard guard(lock_);
  accounts_[kProgram].limits = std::move(limits);
}

// A cost that nobody knows does not fit where money is limited: it is not nothing.
std::optional<BrokenLimit> Accounts::broken_by(const Account& account, const Amount& amount) const {
  const Limits& limits = account.limits;
  double usd = account.spent.usd + account.reserved.usd;
  if (limits.usd && (!amount.is_priced || usd + amount.usd > *limits.usd))
    return BrokenLimit{limits.usd_name, *limits.usd, usd};
  auto over = [](const std::optional<int64_t>& most, int64_t used, int64_t more) {
    return most && used + more > *most;
  };
  int64_t input = account.spent.input_tokens + account.reserved.input_tokens;
  int64_t output = account.spent.output_tokens + account.reserved.output_tokens;
  if (over(limits.input_tokens, input, amount.input_tokens))
    return BrokenLimit{"max_input_tokens", double(*limits.input_tokens), double(input)};
  if (over(limits.output_tokens, output, amount.output_tokens))
    return BrokenLimit{"max_output_tokens", double(*limits.output_tokens), double(output)};
  int64_t used = account.spent.input_tokens + account.spent.output_tokens;
  if (limits.tokens && used >= *limits.tokens) return BrokenLimit{"token_budget", double(*limits.tokens), double(used)};
  return std::nullopt;
}

std::optional<BrokenLimit> Accounts::reserve(const std::vector<uint64_t>& accounts, const Amount& amount) {
  std::lock_guard guard(lock_);
  for (uint64_t number : accounts) {
    auto found = accounts_.find(number);
    if (found == accounts_.end()) continue;
    if (auto broken = broken_by(found->second, amount)) return broken;
  }
  for (uint64_t number : accounts) {
    auto found = accounts_.find(number);
    if (found == accounts_.end()) continue;
    Amount& reserved = found->second.reserved;
    reserved.usd += amount.usd;
    reserved.input_tokens += amount.input_tokens;
    reserved.output_tokens += amount.output_tokens;
  }
  return std::nullopt;
}

void Accounts::give_back(const std::vector<uint64_t>& accounts, const Amount& amount) {
  std::lock_guard guard(lock_);
  for (uint64_t number : accounts) {
    auto found = accounts_.find(number);
    if (found == accounts_.end()) continue;
    Amount& reserved = found->second.reserved;
    reserved.usd -= amount.usd;
    reserved.input_tokens -= amount.input_tokens;
    reserved.output_tokens -= amount.output_tokens;
  }
}

void Accounts::settle(const std::vector<uint64_t>& accounts, const Amount& reserved, const Amount& used,
                      int64_t duration_ms) {
  give_back(accounts, reserved);
  std::lock_guard guard(lock_);
  for (uint64_t number : accounts) {
    auto found = accounts_.find(number);
    if (found == accounts_.end()) continue;
    Spent& spent = found->second.spent;
    spent.usd += used.usd;
    spent.unpriced_calls += !used.is_priced;
    spent.input_tokens += used.input_tokens;
    spent.output_tokens += used.output_tokens;
    spent.calls += 1;
    spent.duration_ms += duration_ms;
  }
}

std::optional<Accounts::Spent> Accounts::spent(uint64_t account) {
  std::lock_guard guard(lock_);
  auto found = accounts_.find(account);
  return found == accounts_.end() ? std::nullopt : std::optional(found->second.spent);
}

std::optional<double> Accounts::usd_left(uint64_t account) {
  std::lock_guard guard(lock_);
  auto found = accounts_.find(account);
  if (found == accounts_.end() || !found->second.limits.usd) return std::nullopt;
  return *found->second.limits.usd - found->second.spent.usd - found->second.reserved.usd;
}

}  // namespace harn::llm
