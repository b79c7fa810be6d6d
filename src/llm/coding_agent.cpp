#include "llm/coding_agent.h"

#include "base/codecs.h"
#include "base/fmt.h"
#include "base/result.h"
#include "crypto/digest.h"
#include "llm/encode.h"

namespace harn::llm {

bool is_coding_agent(Wire wire) { return wire == Wire::ClaudeCode || wire == Wire::Codex; }

std::string_view agent_program(Wire wire) { return wire == Wire::Codex ? "codex" : "claude"; }

namespace {

constexpr std::string_view kRole =
    "You are called by a program as its language model. The input has the program's instructions and a conversation; "
    "each "
    "part begins with a line in brackets that says whose it is. Follow the instructions, and answer with the next text "
    "of "
    "the assistant: that text alone, without a line in brackets.";

using Part = Projected::Part;
using Kind = Projected::Part::Kind;

std::string words_of(const Part& part) {
  switch (part.kind) {
    case Kind::Text: return part.text;
    case Kind::Media: return media_words(part.value);
    case Kind::Call: return fmt::format("(calls the tool {} with {})", part.name, json_text(part.value));
    case Kind::Result: {
      std::string out = fmt::format("(the tool {} {}: {})", part.name, part.is_error ? "failed" : "gave", part.text);
      for (const Value& block : items(part.value)) out += "\n\n" + media_words(block);
      return out;
    }
    case Kind::Reasoning: break;
  }
  return "";
}

std::string words_of(const Projected::Turn& turn) {
  std::string out;
  for (const Part& part : turn.parts) {
    std::string words = words_of(part);
    if (words.empty()) continue;
    out += out.empty() ? words : "\n\n" + words;
  }
  return out;
}

// A word that nobody who writes a part can know before all parts are there: no text can pass for the line of another part.
vm::Outcome<std::string> mark_of(const Projected& projected) {
  auto digest = crypto::Digest::start("SHA256");
  if (!digest) return vm::throw_text(ErrorKind::Unsupported, "{}", digest.error());
  digest->add(projected.system);
  for (const Projected::Turn& turn : projected.turns) digest->add(words_of(turn));
  return codecs::to_hex(digest->finish()).substr(0, 8);
}

vm::Outcome<std::string> input_of(const Value& request, std::string_view head) {
  Projected projected = project(request);
  std::string mark = HARN_TRY(mark_of(projected));
  std::string out(head);
  auto add = [&](std::string_view whose, std::string_view text) {
    out += fmt::format("{}[{} {}]\n{}\n", out.empty() ? "" : "\n", whose, mark, text);
  };
  if (!projected.system.empty()) add("instructions", projected.system);
  for (const Projected::Turn& turn : projected.turns) add(turn.is_user ? "user" : "assistant", words_of(turn));
  return out;
}

// {directory}: all that can be said to them.
vm::Outcome<std::string> directory_of(const Provider& provider, const Value& extra) {
  if (!extra.is_dict()) return std::string();
  for (auto [key, value] : extra.as_dict()->entries()) {
    if (key->view() != "directory" || !value->is_string())
      return vm::throw_text(ErrorKind::Invalid,
                            "{}: there is no option `{}` with such a value; known is {{directory: string}}",
                            provider.name, key->view());
  }
  return std::string(text_field(extra, "directory"));
}

}  // namespace

vm::Outcome<AgentCall> agent_call(const Provider& provider, const Value& request) {
  AgentCall call{.directory = HARN_TRY(directory_of(provider, field(request, "extra")))};
  bool is_codex = provider.wire == Wire::Codex;
  if (is_codex)
    call.words = {std::string(agent_program(provider.wire)),
                  "exec",
                  "--json",
                  "--ephemeral",
                  "--skip-git-repo-check",
                  "--sandbox",
                  "read-only",
                  "-c",
                  "features.shell_tool=false",
                  "-c",
                  "features.unified_exec=false",
                  "-c",
                  "web_search=disabled",
                  "-c",
                  "mcp_servers={}",
                  "-c",
                  "project_doc_max_bytes=0"};
  else
    call.words = {std::string(agent_program(provider.wire)),
                  "--print",
                  "--output-format",
                  "json",
                  "--tools",
                  "",
                  "--strict-mcp-config",
                  "--setting-sources",
                  "user",
                  "--no-session-persistence",
                  "--system-prompt",
                  std::string(kRole)};
  // `default`: as it is set up.
  if (std::string_view model = text_field(request, "model"); !model.empty() && model != "default") {
    call.words.emplace_back("--model");
    call.words.emplace_back(model);
  }
  if (is_codex) call.words.emplace_back("-");
  call.input = HARN_TRY(input_of(request, is_codex ? fmt::format("{}\n", kRole) : ""));
  return call;
}

}  // namespace harn::llm
