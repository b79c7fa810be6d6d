#include "builtins/regex_cache.h"

#include <re2/re2.h>

#include "base/fmt.h"
#include "vm/aside.h"

namespace harn::builtins {

namespace {

constexpr size_t kMaxPatterns = 256;
constexpr size_t kMaxPatternSize = 256 * 1024;
constexpr int64_t kMaxAutomaton = 32 * 1024 * 1024;

// The members of a class, to stand inside [...]; empty when RE2's own meaning will do. RE2's white
// space lacks the vertical tab.
std::string_view class_members(char letter, bool use_unicode) {
  if (letter == 's') return use_unicode ? R"(\s\x0B\x{85}\p{Z})" : R"(\s\x0B)";
  if (!use_unicode) return {};
  if (letter == 'w') return R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc})";
  return letter == 'd' ? R"(\p{Nd})" : "";
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

class Translator {
 public:
  Translator(std::string_view pattern, bool is_extended, bool use_unicode)
      : pattern_(pattern), is_extended_(is_extended), use_unicode_(use_unicode) {}

  void run(std::string& out) {
    while (at_ < pattern_.size()) step(out);
  }

 private:
  void step(std::string& out) {
    char c = pattern_[at_];
    if (c == '\\') return escape(out);
    if (in_class_) return class_character(out, c);
    if (c == '[') return open_class(out);
    if (is_extended_ && is_space(c)) return void(++at_);
    if (is_extended_ && c == '#') {
      while (at_ < pattern_.size() && pattern_[at_] != '\n') ++at_;
      return;
    }
    if (pattern_.substr(at_).starts_with("(?<") && at_ + 3 < pattern_.size() && pattern_[at_ + 3] != '=' &&
        pattern_[at_ + 3] != '!') {
      out += "(?P<";
      at_ += 3;
      return;
    }
    out += c;
    ++at_;
  }

  void open_class(std::string& out) {
    in_class_ = true;
    out += pattern_[at_++];
    if (at_ < pattern_.size() && pattern_[at_] == '^') out += pattern_[at_++];
    if (at_ < pattern_.size() && pattern_[at_] == ']') out += pattern_[at_++];  // a member, not the end
  }

  void class_character(std::string& out, char c) {
    if (pattern_.substr(at_).starts_with("[:")) {  // [:alpha:]
      size_t end = pattern_.find(":]", at_ + 2);
      if (end != std::string_view::npos) {
        out += pattern_.substr(at_, end + 2 - at_);
        at_ = end + 2;
        return;
      }
    }
    if (c == ']') in_class_ = false;
    out += c;
    ++at_;
  }

  void escape(std::string& out) {
    if (at_ + 1 >= pattern_.size()) {
      out += pattern_[at_++];
      return;
    }
    char letter = pattern_[at_ + 1];
    at_ += 2;
    if (letter == 'Q' && !in_class_) return quoted(out);
    if (is_extended_ && (is_space(letter) || letter == '#')) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned>(letter));
      return;
    }
    bool is_negated = letter >= 'A' && letter <= 'Z';
    char small = is_negated ? static_cast<char>(letter - 'A' + 'a') : letter;
    std::string_view members = class_members(small, use_unicode_);
    // A negated class inside brackets has no spelling of its own; it keeps its ASCII meaning.
    if (members.empty() || (is_negated && in_class_)) {
      out += '\\';
      out += letter;
    } else if (in_class_) {
      out += members;
    } else {
      out += is_negated ? "[^" : "[";
      out += members;
      out += ']';
    }
  }

  // \Q...\E stands for itself.
  void quoted(std::string& out) {
    size_t end = pattern_.find("\\E", at_);
    if (end == std::string_view::npos) end = pattern_.size();
    out += "\\Q";
    out += pattern_.substr(at_, end - at_);
    out += "\\E";
    at_ = std::min(end + 2, pattern_.size());
  }

  std::string_view pattern_;
  bool is_extended_;
  bool use_unicode_;
  bool in_class_ = false;
  size_t at_ = 0;
};

// A short pattern may stand for a large automaton only by counting: `(\pL{100}|x){9}`.
Regex compiled(std::string pattern, const re2::RE2::Options& options) {
  constexpr size_t kLongPattern = 1024;
  bool takes_long = pattern.size() >= kLongPattern || pattern.find('{') != std::string::npos;
  if (!takes_long) return std::make_shared<const re2::RE2>(pattern, options);
  auto made = std::make_shared<Regex>();
  vm::run_aside([=] { *made = std::make_shared<const re2::RE2>(pattern, options); }, vm::Value());
  return *made;
}

}  // namespace

std::string translate_pattern(std::string_view pattern, std::string_view flags, bool use_unicode) {
  std::string out;
  std::string inline_flags;
  for (char flag : {'i', 'm', 's'}) {
    if (flags.find(flag) != std::string_view::npos) inline_flags += flag;
  }
  if (!inline_flags.empty()) out = "(?" + inline_flags + ")";
  Translator(pattern, flags.find('x') != std::string_view::npos, use_unicode).run(out);
  return out;
}

RegexCache& RegexCache::of_thread() {
  static thread_local RegexCache cache;
  return cache;
}

RegexCache::RegexCache() = default;
RegexCache::~RegexCache() = default;

std::expected<Regex, std::string> RegexCache::get(std::string_view pattern, std::string_view flags,
                                                  bool text_is_ascii) {
  key_.assign(text_is_ascii ? "a" : "u").append(flags).append("/").append(pattern);
  auto found = compiled_.find(key_);
  if (found != compiled_.end()) return found->second;

  size_t bad = flags.find_first_not_of("imsx");
  if (bad != std::string_view::npos) {
    return std::unexpected(harn::format("unsupported regex flag '{}', expected one of i/m/s/x", flags[bad]));
  }
  if (pattern.size() > kMaxPatternSize) return std::unexpected(std::string("pattern too large"));
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxAutomaton);
  // Other tasks of the thread may use the cache while it is compiled.
  std::string key = key_;
  Regex regex = compiled(translate_pattern(pattern, flags, !text_is_ascii), options);
  if (!regex->ok()) return std::unexpected(regex->error());
  if (compiled_.size() >= kMaxPatterns) compiled_.clear();
  return compiled_[key] = std::move(regex);
}

}  // namespace harn::builtins
