#include "embed/host_function.h"

#include "base/result.h"
#include "builtins/registry.h"
#include "compile/type_checks.h"
#include "effects/host_function.h"
#include "embed/errors.h"
#include "embed/values.h"
#include "syntax/lexer.h"
#include "types/lower.h"
#include "types/signature.h"
#include "vm/fiber.h"
#include "vm/job_pool.h"
#include "vm/type_check.h"

namespace harn::embed {

// ---- calls under way ----

void CallsUnderWay::begin() {
  std::lock_guard lock(lock_);
  ++count_;
}

void CallsUnderWay::end() {
  std::lock_guard lock(lock_);
  if (--count_ == 0) is_none_.notify_all();
}

void CallsUnderWay::wait_for_none() {
  std::unique_lock lock(lock_);
  is_none_.wait(lock, [this] { return count_ == 0; });
}

// ---- making one ----

namespace {

bool is_name(const std::string& text) {
  diag::Sink sink;
  auto tokens = syntax::lex(std::make_shared<SourceFile>("name", text), sink).tokens;
  return !sink.has_errors() && tokens.size() == 2 && tokens[0].kind == syntax::TokenKind::Identifier;
}

std::unexpected<Error> invalid(std::string message) {
  return std::unexpected(own_error(ErrorKind::Invalid, std::move(message)));
}

}  // namespace

Result<void> HostFunction::read_signature() {
  types::TypeTable table;
  std::string problem;
  const types::Type* type = types::parse_signature(table, signature_, &problem);
  if (!type) return invalid(fmt::format("the signature of `{}` cannot be read: {}", name_, problem));
  if (type->kind != types::Kind::Function) {
    return invalid(fmt::format("the signature of `{}` has several forms, but a host function has one", name_));
  }
  types::NoNames names;
  types::Lowering lowering(table, names);
  compile::TypeChecks checks(lowering, compile::UnknownTypes::Anything);
  for (const types::Parameter& param : type->params) {
    params_.push_back({checks.of(param.type), param.optional, param.rest});
  }
  result_ = checks.of(type->result);
  return {};
}

Result<std::unique_ptr<HostFunction>> HostFunction::create(std::string name, std::string signature, Function function,
                                                           Runs runs, std::shared_ptr<CallsUnderWay> calls) {
  if (!is_name(name)) return invalid(fmt::format("`{}` is no name for a function", name));
  if (builtins::table().find(name)) return invalid(fmt::format("there is a builtin `{}` already", name));
  std::unique_ptr<HostFunction> made(new HostFunction);
  made->name_ = std::move(name);
  made->signature_ = std::move(signature);
  made->function_ = std::make_shared<Function>(std::move(function));
  made->calls_ = std::move(calls);
  made->runs_ = runs;
  HARN_CHECK(made->read_signature());
  Row& row = made->row_;
  row.owner = made.get();
  row.name = made->name_;
  row.signature = std::string_view(made->signature_);
  row.needs = vm::Capability::HostCall;
  if (runs == Runs::Aside) row.wait = vm::on_fiber<HostFunction::call>;
  else row.call = HostFunction::call;
  return made;
}

// ---- calling it ----

vm::Outcome<void> HostFunction::check_arguments(const vm::Call& call) const {
  for (uint32_t i = 0; i < call.count() && !params_.empty(); ++i) {
    const Param& param = params_[std::min<size_t>(i, params_.size() - 1)];
    bool is_left_out = param.is_optional && call.arg(i).is_nil();
    if (!is_left_out && !vm::fits(call.arg(i), *param.type, param.type)) {
      return call.wrong_type(i, fmt::format("`{}`", param.type->shown()));
    }
  }
  return {};
}

vm::Outcome<vm::Value> HostFunction::check_answer(vm::Value answer) const {
  bool gives_nothing = result_->kind == bytecode::TypeCheck::Kind::Nil;
  if (gives_nothing || vm::fits(answer, *result_, result_)) return gives_nothing ? vm::Value() : std::move(answer);
  return vm::type_error("the host's function `{}` should give `{}`, but gave {}", name_, result_->shown(),
                        vm::type_name(answer));
}

// One call on another thread: what both sides hold.
struct HostFunction::Under {
  Under(std::shared_ptr<const Function> function, std::shared_ptr<CallsUnderWay> calls)
      : function(std::move(function)), calls(std::move(calls)) {
    this->calls->begin();
  }
  ~Under() {
    function.reset();  // what it holds may belong to the host
    calls->end();
  }

  std::shared_ptr<const Function> function;
  std::shared_ptr<CallsUnderWay> calls;
  Arguments arguments;
  Result<Value> answer;

  // Exceptions of the host end here.
  void run() noexcept {
    try {
      answer = (*function)(arguments);
    } catch (const std::exception& thrown) {
      answer = fail("runtime", thrown.what());
    } catch (...) {
      answer = fail("runtime", "an exception of the host that is no std::exception");
    }
  }
};

vm::Outcome<vm::Value> HostFunction::carry_out(List arguments) const {
  auto under = std::make_shared<Under>(function_, calls_);
  under->arguments.values_ = std::move(arguments);
  if (runs_ == Runs::InTask) {
    under->run();
  } else if (vm::run_blocking("a function of the host", [under] { under->run(); }) == vm::Wake::Cancelled) {
    under->arguments.is_cancelled_ = true;
    return vm::stopped_error();
  }
  return under->answer ? to_program(*under->answer) : to_program(under->answer.error());
}

vm::Outcome<vm::Value> HostFunction::call(vm::Call& call) {
  const HostFunction& self = *static_cast<const Row&>(call.row()).owner;
  HARN_CHECK(self.check_arguments(call));
  List arguments = HARN_TRY(to_host(call.args()));
  effects::Run& run = effects::Run::current(call.vm());
  effects::CallHostFunction request{self.name_, {}};
  // Nobody looks at them otherwise.
  if (!run.is_direct(effects::CallHostFunction::row.capability)) {
    request.arguments = HARN_TRY(to_program(Value(arguments)));
  }
  auto answer = HARN_TRY(effects::perform_with(run, request, [&]() -> vm::Outcome<effects::CallHostFunction::Answer> {
    return effects::CallHostFunction::Answer{HARN_TRY(self.carry_out(std::move(arguments)))};
  }));
  return self.check_answer(std::move(answer.value));
}

}  // namespace harn::embed
