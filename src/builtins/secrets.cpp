// What looks like a secret in a text: the shapes that are hidden in whatever is kept (base/secrets.h), told with their places. And the chain of
// decisions, and reviews, which are written in Harn (src/std/prelude/trust.harn, review.harn).
#include "base/codecs.h"
#include "base/fmt.h"
#include "base/result.h"
#include "base/secrets.h"
#include "builtins/families.h"
#include "crypto/digest.h"
#include "vm/dict.h"
#include "vm/ops.h"

namespace harn::builtins {

using namespace vm;

namespace {

std::string_view title_of(std::string_view detector) {
  constexpr std::pair<std::string_view, std::string_view> kTitles[] = {
      {"aws", "AWS access key"},      {"bearer", "bearer token"},
      {"github", "GitHub token"},     {"github_fine_grained", "GitHub fine-grained token"},
      {"gitlab", "GitLab token"},     {"jwt", "JSON web token"},
      {"npm", "npm token"},           {"openai", "API key"},
      {"private_key", "private key"}, {"slack", "Slack token"},
      {"stripe", "Stripe key"},
  };
  for (auto [name, title] : kTitles) {
    if (name == detector) return title;
  }
  return detector;
}

// Keeps count of lines and characters while it goes forward through a text.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}
  void go_to(size_t at) {
    for (; at_ < at; ++at_) {
      char c = text_[at_];
      if ((c & 0xC0) == 0x80) continue;  // inside of a character
      ++chars;
      if (c == '\n') {
        ++line;
        column = 1;
      } else {
        ++column;
      }
    }
  }
  int64_t chars = 0, line = 1, column = 1;

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// What a person can tell it by who knows it already.
Outcome<std::string> fingerprint(std::string_view value) {
  auto digest = crypto::Digest::start("SHA256");
  if (!digest) return runtime_error(ErrorKind::Unsupported, "secret_scan: {}", digest.error());
  digest->add(value);
  return codecs::to_hex(digest->finish()).substr(0, 16);
}

Outcome<Value> secret_scan(Call& call) {
  std::string_view text = HARN_TRY(call.text(0));
  auto found = new_list(0);
  Places places(text);
  for (const Secrets::Token& token : Secrets::tokens_in(text)) {
    std::string_view value = text.substr(token.at, token.length);
    places.go_to(token.at);
    Places start = places;
    places.go_to(token.at + token.length);
    std::string mark = HARN_TRY(fingerprint(value));
    found->push(DictBuilder()
                    .add("detector", text_value(token.name))
                    .add("source", text_value("shape"))
                    .add("title", text_value(title_of(token.name)))
                    .add("line", Value::integer(start.line))
                    .add("column_start", Value::integer(start.column))
                    .add("column_end", Value::integer(start.column + places.chars - start.chars))
                    .add("start_offset", Value::integer(start.chars))
                    .add("end_offset", Value::integer(places.chars))
                    .add("redacted", text_value(fmt::format("<redacted:{}:{}>", token.name, token.length)))
                    .add("fingerprint", text_value(mark))
                    .done());
  }
  return Value(std::move(found));
}

constinit const Builtin kRows[] = {
    {.name = "__corrections_for",
     .signature = "(actor: string) -> list<dict>",
     .doc = "The corrections that hold for an actor beyond the run they were made in.",
     .prelude = "trust:corrections_for"},
    {.name = "__event_records",
     .signature = "(topic: string, kind: string) -> list<dict>",
     .doc = "The payloads of all events of a kind, each with its `event_id`.",
     .prelude = "event_records:event_records"},
    {.name = "__last_event",
     .signature = "(topic: string) -> dict?",
     .doc = "The last event of a topic.",
     .prelude = "event_records:last_event"},
    {.name = "__review_rubrics",
     .signature = "() -> dict",
     .doc = "What reviews look at, by name.",
     .prelude = "review:rubrics"},
    {.name = "__trust_rows",
     .signature = "(filters: dict?) -> list<dict>",
     .doc = "Decisions that fit, as std/trust shows them.",
     .prelude = "trust:query"},
    {.name = "secret_scan",
     .signature = "(content: string) -> list<dict>",
     .doc = "Returns what has the shape of a secret: {detector, source, title, line, column_start, column_end, "
            "start_offset, end_offset, redacted, fingerprint} each, never the secret itself.",
     .example = R"(secret_scan("key ghp_" + "a".repeat(36))[0].detector == "github")",
     .call = secret_scan},
    {.name = "self_review",
     .signature = "(diff: string, rubric?: string?, max_rounds?: int?) -> dict",
     .doc =
         "Has a model review a change: {summary, findings, has_blocking_findings, rounds, secret_scan_findings, ...}. "
         "The rubric is a preset (default, code, docs, infra, security) or a text; it looks up to `max_rounds` times.",
     .example =
         R"x(llm_mock({text: "{\"summary\": \"fine\", \"findings\": []}"}) == nil && self_review("+ a").summary == "fine")x",
     .needs = Capability::Model,
     .prelude = "review:self_review"},
    {.name = "trust_graph_policy_for",
     .signature = "(agent: string) -> dict",
     .doc = "Returns what an agent may do at most, by the tier of its last decision.",
     .example = R"(trust_graph_policy_for("nobody").side_effect_level == "none")",
     .needs = Capability::EventRead,
     .prelude = "trust:policy_for"},
    {.name = "trust_graph_query",
     .signature = "(agent: string, action?: string?) -> dict",
     .doc =
         "Returns how an agent has done: {total, successes, failures, denied, timeouts, success_rate, effective_tier, "
         "policy, ...}.",
     .example = R"(trust_graph_query("nobody").total == 0)",
     .needs = Capability::EventRead,
     .prelude = "trust:score"},
    {.name = "trust_graph_record",
     .signature = "(decision: dict) -> string",
     .doc = "Appends a decision to the chain and returns its id: agent, action, approver, outcome, trace_id, "
            "autonomy_tier, cost_usd, metadata.",
     .example = R"(len(trust_graph_record({agent: "a", action: "merge"})) == 36)",
     .needs = Capability::EventRead,
     .prelude = "trust:record"},
    {.name = "trust_graph_verify_chain",
     .signature = "() -> dict",
     .doc = "Returns whether each decision is as it was written: {topic, total, verified, root_hash, "
            "broken_at_event_id, errors}.",
     .example = "trust_graph_verify_chain().verified",
     .needs = Capability::EventRead,
     .prelude = "trust:verify_chain"},
    {.name = "trust_query",
     .signature = "(filters?: dict?) -> list<dict>",
     .doc = "Returns decisions, the oldest first, by agent, action, since, until, tier, outcome and limit; with "
            "`grouped_by_trace` as {trace_id, records}.",
     .example = R"(trust_query({agent: "nobody"}) == [])",
     .needs = Capability::EventRead,
     .prelude = "trust:trust_query"},
    {.name = "trust_record",
     .signature = "(agent: string, action: string, approver: string?, outcome: string, tier: string) -> dict",
     .doc = "Appends a decision to the chain and returns it with its hashes.",
     .example = R"(trust_record("a", "merge", nil, "success", "suggest").schema == "opentrustgraph/v0")",
     .needs = Capability::EventRead,
     .prelude = "trust:trust_record"},
};

}  // namespace

std::span<const Builtin> secrets_rows() { return kRows; }

}  // namespace harn::builtins
