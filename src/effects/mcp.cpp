#include "effects/mcp.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <set>

#include "base/mutex.h"
#include "base/shared_table.h"
#include "base/text.h"
#include "data/json.h"
#include "effects/launch.h"
#include "effects/waiters.h"
#include "net/line_socket.h"
#include "vm/dict.h"
#include "vm/scheduler.h"
#include "vm/vm.h"

namespace harn::effects {

using namespace vm;

namespace {

constexpr size_t kMaxLine = 64u << 20;
constexpr size_t kKeptErrors = 8 * 1024;
constexpr size_t kMostGarbage = 1'000;  // lines in a row that are no messages, before a server is given up

constexpr Nanoseconds kExitTime = 300 * kMillisecond;   // between the end of its output and its own
constexpr Nanoseconds kCloseTime = 500 * kMillisecond;  // for it to end by itself
constexpr std::chrono::milliseconds kGrace(1'000);      // between asking it to end and killing it

// How a child has ended: written by the I/O thread.
struct Exit {
  Mutex lock;
  std::optional<net::ProcessResult> result;
};

constexpr size_t kShownNoise = 200;      // bytes
constexpr size_t kMostProgress = 1'000;  // messages that one request has not fetched; older ones are dropped

enum class LineKind : uint8_t { Garbage, Answer, Progress, Other, Batch, Complaint };
struct SortedLine {
  LineKind kind = LineKind::Garbage;
  std::string id = {};                     // of an answer, and of the request whose progress it is
  std::vector<std::string> messages = {};  // of a batch
};

// The id of a request is the token that its progress is told with.
std::string progress_token(const Value& message) {
  const Value* params = message.as_dict()->find("params");
  const Value* token = params && params->is_dict() ? params->as_dict()->find("progressToken") : nullptr;
  return token ? display(*token) : "";
}

// Several messages at once, as the version 2025-03-26 of the protocol has them; a batch in a batch is none.
SortedLine sorted_batch(const ListObject& batch) {
  SortedLine sorted{.kind = LineKind::Batch};
  for (const Value& message : batch.values()) {
    std::string& text = sorted.messages.emplace_back();
    if (!message.is_dict() || !data::append_json(text, message)) text = "null";
  }
  return sorted;
}

SortedLine sort(std::string_view line) {
  auto parsed = data::parse_json(line);
  if (parsed && parsed->is_list() && parsed->as_list()->size > 0) return sorted_batch(*parsed->as_list());
  if (!parsed || !parsed->is_dict()) return {};
  const Value* method = parsed->as_dict()->find("method");
  if (method && !method->is_string()) return {};
  if (method && display(*method) == "notifications/progress") return {LineKind::Progress, progress_token(*parsed)};
  if (method) return {LineKind::Other};
  const Value* id = parsed->as_dict()->find("id");
  if (id && !id->is_nil()) return {LineKind::Answer, display(*id)};
  // It could not read what it was sent, and so does not know whose it was.
  return {parsed->as_dict()->find("error") ? LineKind::Complaint : LineKind::Garbage};
}

std::string last_line(std::string_view errors) {
  errors = text::trim(errors);
  if (size_t at = errors.rfind('\n'); at != std::string_view::npos) errors.remove_prefix(at + 1);
  return text::to_valid_utf8(errors.substr(0, 500));
}

struct Child {
  Child(Descriptor output, Descriptor input)
      : lines(std::move(output), std::move(input), kMaxLine, [waiters = waiters] { waiters->wake_all(); }) {}
  ~Child() { net::kill_process(id); }

  // Nothing: not yet.
  std::optional<ReceiveMcp::Answer> next(const std::string& wanted) {
    std::lock_guard guard(lock);
    for (;;) {
      if (auto told = next_progress(wanted)) return ReceiveMcp::Answer{.line = *std::move(told)};
      if (auto found = answers.extract(wanted)) return ReceiveMcp::Answer{.line = std::move(found.mapped())};
      auto line = next_line();
      if (!line) break;
      SortedLine sorted = sort(*line);
      if (sorted.kind == LineKind::Garbage) {
        last_noise = text::to_valid_utf8(line->substr(0, kShownNoise));
        ++noise_count;
        if (++garbage > kMostGarbage) return given_up();
        continue;
      }
      garbage = 0;
      if (sorted.kind == LineKind::Other) return ReceiveMcp::Answer{.line = *std::move(line)};
      take_in(std::move(sorted), *std::move(line), wanted);
    }
    if (garbage > kMostGarbage) return given_up();
    if (lines.end() == net::LineSocket::End::None) return std::nullopt;
    return ReceiveMcp::Answer{.is_end = true};
  }

  std::optional<std::string> next_line() {
    if (batch.empty()) return lines.take();
    std::string line = std::move(batch.front());
    batch.pop_front();
    return line;
  }

  // What is for somebody in particular.
  void take_in(SortedLine sorted, std::string line, const std::string& wanted) {
    if (sorted.kind == LineKind::Batch) {
      std::ranges::move(sorted.messages, std::back_inserter(batch));
      return;
    }
    if (sorted.kind == LineKind::Progress) return keep_progress(sorted.id, std::move(line));
    if (sorted.kind == LineKind::Complaint && expected.size() == 1) sorted.id = *expected.begin();
    if (!expected.erase(sorted.id)) return;
    noise_count = 0;
    answers.emplace(sorted.id, std::move(line));
    if (sorted.id != wanted) waiters->wake_all();
  }

  // For people who wonder why there is no answer.
  std::string noise() {
    std::lock_guard guard(lock);
    if (noise_count == 0) return "";
    return fmt::format("it has written {} that {}, the last one: {}",
                       noise_count == 1 ? "a line" : fmt::format("{} lines", noise_count),
                       noise_count == 1 ? "is no message" : "are no messages", last_noise);
  }

  // Nobody else than the one who waits for a request hears how far it is.
  void keep_progress(const std::string& id, std::string line) {
    if (!expected.contains(id)) return;
    auto& kept = progress[id];
    if (kept.size() == kMostProgress) kept.pop_front();
    kept.push_back(std::move(line));
    waiters->wake_all();
  }

  std::optional<std::string> next_progress(const std::string& id) {
    auto found = progress.find(id);
    if (found == progress.end()) return std::nullopt;
    std::string line = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) progress.erase(found);
    return line;
  }

  static ReceiveMcp::Answer given_up() {
    return {.is_end = true,
            .why = fmt::format("it writes lines that are no messages (more than {} in a row)", kMostGarbage)};
  }

  bool has_exited() {
    std::lock_guard guard(exit->lock);
    return exit->result.has_value();
  }

  std::string why_over() {
    if (lines.end() == net::LineSocket::End::LineTooLong)
      return fmt::format("it has sent a message of more than {} MB", kMaxLine >> 20);
    if (lines.end() == net::LineSocket::End::NoMemory) return "there is no memory for what it sends";
    std::lock_guard guard(exit->lock);
    if (!exit->result) return "it has closed its output";
    std::string why = exit->result->signal ? fmt::format("it was ended by signal {}", exit->result->signal)
                                           : fmt::format("it has ended with status {}", exit->result->status);
    std::string said = last_line(exit->result->err);
    return said.empty() ? why : why + ": " + said;
  }

  std::shared_ptr<Waiters> waiters = std::make_shared<Waiters>();
  std::shared_ptr<Exit> exit = std::make_shared<Exit>();
  net::LineSocket lines;
  net::ProcessId id;
  std::string name;

  Mutex lock;
  std::set<std::string> expected;
  std::map<std::string, std::string> answers;               // that nobody has fetched
  std::map<std::string, std::deque<std::string>> progress;  // the same
  std::deque<std::string> batch;                            // the rest of one
  size_t garbage = 0;                                       // lines in a row
  size_t noise_count = 0;                                   // lines that are no messages, since the last answer
  std::string last_noise;
};

struct SocketPair {
  Descriptor ours, theirs;
};
// Nothing: errno says why.
std::optional<SocketPair> socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  return SocketPair{Descriptor(ends[0]), Descriptor(ends[1])};
}

// The children of a VM.
using Children = SharedTable<uint64_t, std::shared_ptr<Child>>;
Children& children() { return Scheduler::current().scheduler->vm().local<Children>(); }

}  // namespace

Outcome<Done> carry_out(Run&, const UseMcp&) { return Done(); }

Outcome<uint64_t> carry_out(Run& run, const OpenMcp& request) {
  // One for each direction: a child that closes its output and goes on reading has nothing more to say.
  auto input = socket_pair(), output = socket_pair();
  if (!input || !output) return throw_text(ErrorKind::Io, "{} failed: {}", request.program.what, strerror(errno));
  auto child = std::make_shared<Child>(std::move(output->ours), std::move(input->ours));
  child->name = request.program.program;
  auto done = [exit = child->exit, waiters = child->waiters](net::ProcessResult result) {
    {
      std::lock_guard guard(exit->lock);
      exit->result = std::move(result);
    }
    waiters->wake_all();
  };
  ChildStreams streams{.input_fd = input->theirs.get(), .output_fd = output->theirs.get(), .kept_errors = kKeptErrors};
  child->id = HARN_TRY(start_child(run, request.program, streams, std::move(done)));
  uint64_t number = children().next_number();
  children().put(number, std::move(child));
  return number;
}

Outcome<bool> carry_out(Run&, const SendMcp& request) {
  auto child = children().find(request.child).value_or(nullptr);
  if (!child) return false;
  {
    std::lock_guard guard(child->lock);
    if (!request.expects.empty()) child->expected.insert(request.expects);
    child->expected.erase(request.gives_up);
    child->answers.erase(request.gives_up);
    child->progress.erase(request.gives_up);
  }
  return child->lines.write(request.line);
}

Outcome<ReceiveMcp::Answer> carry_out(Run& run, const ReceiveMcp& request) {
  auto child = children().find(request.child).value_or(nullptr);
  if (!child) return ReceiveMcp::Answer{.is_end = true, .why = "it was disconnected"};
  Nanoseconds due = run.clock().now() + request.timeout_ms * kMillisecond;
  auto next = [&] { return child->next(request.id); };
  auto answer = request.timeout_ms <= 0
                    ? next()
                    : HARN_TRY(child->waiters->wait_until(due, "an answer of an MCP server", child->name, next));
  if (!answer) return ReceiveMcp::Answer{.is_late = true, .noise = child->noise()};
  if (!answer->is_end || !answer->why.empty()) return *std::move(answer);
  // What it has said last, and how it has ended, comes a moment later.
  auto exited = [&] { return child->has_exited() ? std::optional(true) : std::nullopt; };
  HARN_CHECK(child->waiters->wait_until(run.clock().now() + kExitTime, "an MCP server", child->name, exited));
  answer->why = child->why_over();
  return *std::move(answer);
}

Outcome<bool> carry_out(Run& run, const CloseMcp& request) {
  auto child = children().take(request.child).value_or(nullptr);
  if (!child) return false;
  child->lines.end_writing();
  auto exited = [&] { return child->has_exited() ? std::optional(true) : std::nullopt; };
  auto ended = child->waiters->wait_until(run.clock().now() + kCloseTime, "an MCP server", child->name, exited);
  if (ended && !*ended) {
    net::end_process(child->id, kGrace);
    (void)child->waiters->wait_until(run.clock().now() + kCloseTime, "an MCP server", child->name, exited);
  }
  return true;
}

void drop_mcp(Vm& vm, uint64_t child) { vm.local<Children>().take(child); }

}  // namespace harn::effects
