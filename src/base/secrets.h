#pragma once

#include <string>
#include <string_view>
#include <vector>

// Takes secrets out of what is kept: tapes, traces, logs.
//
//   Secrets secrets;
//   secrets.add("API_KEY", "s3cr3t-value");
//   secrets.hidden("key s3cr3t-value");   // "key <redacted:API_KEY:12>"
//
// A secret is a value that somebody has named, or a word that has the shape of a token of a well-known service.
// What is hidden once stays as it is: `hidden(hidden(text)) == hidden(text)`. Not for several threads at once.
namespace harn {

class Secrets {
 public:
  // Values of less than `kLeast` bytes are left alone: they would be found everywhere.
  static constexpr size_t kLeast = 6;
  void add(std::string_view name, std::string_view value);
  std::string hidden(std::string_view text) const;

  // Words that have the shape of a token, and private keys, in the order of the text. What is kept leaves out the former only: a program that
  // signs something needs the same key when it is replayed.
  struct Token {
    std::string_view name;
    size_t at;
    size_t length;
  };
  static std::vector<Token> tokens_in(std::string_view text);

  // Whether a variable of that name holds a secret: "GITHUB_TOKEN", "db_password".
  static bool is_secret_name(std::string_view name);

 private:
  struct Named {
    std::string name;
    std::string value;
  };
  std::vector<Named> named_;  // the longest first: one may be part of another
};

}  // namespace harn
