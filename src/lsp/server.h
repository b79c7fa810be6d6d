#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lsp/message.h"
#include "lsp/workspace.h"

// The language server: answers one client until it says goodbye. Diagnostics follow when the client pauses.
namespace harn::vm {
struct Builtin;
}

namespace harn::lsp {

class Server {
 public:
  Server(int in, int out) : pipe_(in, out) {}

  // The exit code of the process: 0 when the client has said so (`shutdown`, `exit`).
  int run();

 private:
  struct Error {
    int code;
    std::string message;
  };

  void handle(const std::string& body);
  void notify(std::string_view method, const Part& params);
  // The answer as JSON.
  std::expected<std::string, Error> answer(std::string_view method, const Part& params);
  void note_roots(const Part& params);
  void publish();
  void publish_one(const Document& document);

  // A place in a document, as most requests name one.
  struct Place {
    Document* document = nullptr;
    const Positions* positions = nullptr;
    const ModuleIndex* index = nullptr;
    uint32_t offset = 0;
  };
  std::optional<Place> place(const Part& params);
  Document* document(const Part& params) { return workspace_.find(params["textDocument"]["uri"].text()); }

  // ---- features.cpp ----
  std::string hover(const Part& params);
  std::string shown_block(const syntax::Natural& block, const SourceFile& source);
  std::string code_actions(const Part& params);
  std::string inlay_hints(const Part& params);
  // ---- formatting.cpp ----
  std::string formatting(const Part& params);
  std::string range_formatting(const Part& params);
  std::string on_type_formatting(const Part& params);
  static std::string format_lines(const Document& open, size_t first, size_t last);
  // ---- signatures.cpp ----
  struct Signature {
    std::string label, doc;
  };
  std::string signature_help(const Part& params);
  Signature signature_of(const Place& place, std::string_view name);
  Signature signature_of_method(const syntax::Node& object, const modules::Module& module, const ModuleIndex& index,
                                std::string_view name);
  // ---- completion.cpp ----
  // Looks at the program without a piece of its text, which does not parse yet; the expression in front of it may be null.
  using AskBefore = std::function<void(const syntax::Node* object, const ModuleIndex* index)>;
  void ask_before(const Place& place, uint32_t start, uint32_t end, const AskBefore& ask);
  void complete_attributes(JsonWriter& json);
  bool complete_modules(JsonWriter& json, const Place& place);
  std::string completion(const Part& params);
  void complete_members(JsonWriter& json, const Place& place, uint32_t dot);
  void write_members(JsonWriter& json, const modules::Module& own, const syntax::Node* object,
                     const ModuleIndex* module);
  bool complete_literals(JsonWriter& json, const Place& place, bool in_text);
  bool complete_keys(JsonWriter& json, const Place& place);
  const types::Type* wanted_argument(const syntax::Call& call, const syntax::Node& arg, const modules::Module& module);
  void complete_names(JsonWriter& json, const Place& place);
  // ---- navigation.cpp ----
  std::string definition(const Part& params);
  std::string references(const Part& params);
  std::string highlights(const Part& params);
  std::string prepare_rename(const Part& params);
  std::expected<std::string, Error> rename(const Part& params);
  const modules::Module* name_taken(const Symbol& symbol, std::string_view name);
  std::string place_to_read(const modules::Module& module, Span span);
  void write_location(JsonWriter& json, const modules::Module& module, Span span);
  // ---- calls.cpp ----
  struct CallItem {
    const modules::Module* module = nullptr;
    const ModuleIndex* index = nullptr;
    const Symbol* symbol = nullptr;
    const syntax::Node* declaration = nullptr;
  };
  std::string prepare_calls(const Part& params);
  std::string incoming_calls(const Part& params);
  std::string outgoing_calls(const Part& params);
  std::optional<CallItem> call_item(const Part& params);
  void write_call_item(JsonWriter& json, const modules::Module& module, const syntax::Node* declaration);
  // ---- symbols.cpp ----
  std::string document_symbols(const Part& params);
  std::string workspace_symbols(const Part& params);
  std::string folding(const Part& params);
  // ---- tokens.cpp ----
  std::string semantic_tokens(const Part& params);

  Pipe pipe_;
  Workspace workspace_;
  std::set<std::string> changed_;  // documents whose diagnostics are due
  bool is_shut_down_ = false;
  std::optional<int> exit_;
};

// The numbers that the protocol has for kinds of symbols and of completions.
int symbol_kind(Symbol::Kind kind);
bool is_keyword(std::string_view word);
// Rows of Harn's own functions and methods; null: there is none.
const vm::Builtin* find_builtin(std::string_view name);
const vm::Builtin* find_builtin_method(std::string_view type, std::string_view name);
int completion_kind(Symbol::Kind kind);

}  // namespace harn::lsp
