// For loops over everything that is not a list or a counted range, and generators.
#include "base/text.h"
#include "vm/channel.h"
#include "vm/dict.h"
#include "vm/interpreter.h"
#include "vm/leaf.h"
#include "vm/memory.h"
#include "vm/ops.h"

namespace harn::vm {

using Status = Interpreter::Status;

bool Interpreter::can_iterate(const Value& source) {
  switch (source.kind()) {
    case Kind::List:
    case Kind::Range:
    case Kind::Dict:
    case Kind::Set:
    case Kind::String:
    case Kind::Iter:
    case Kind::Generator: return true;
    case Kind::Handle: return as_channel(source) != nullptr;
    default: return false;
  }
}

Status Interpreter::for_prep(Value& source, Value& position) {
  if (!can_iterate(source)) return fail(type_error("cannot iterate over {}", type_name(source)));
  position.set_int(0);
  return Status::Done;
}

static Value entry_dict(const DictObject::Entry& entry) {
  static Shape* const shape = empty_shape()->with(intern("key"))->with(intern("value"));
  auto dict = new_dict(shape);
  dict->slots()[0] = Value::share(entry.key);
  dict->slots()[1] = *entry.value;
  return dict;
}

// The next item of a source that needs no code to run. `pairs`: a dict yields pairs, not dicts.
static bool next_plain(const Value& source, int64_t& position, Value& item, bool pairs) {
  switch (source.kind()) {
    case Kind::List: {
      ListObject* list = source.as_list();
      if (static_cast<size_t>(position) >= list->size) return false;
      item = list->items[position++];
      return true;
    }
    case Kind::Range: {
      RangeObject* range = source.as_range();
      if (position >= range->size()) return false;
      item = Value::integer(range->item(position++));
      return true;
    }
    case Kind::Set: {
      SetObject* set = source.as_set();
      size_t place = set->next_place(static_cast<size_t>(position));
      if (place >= set->used) return false;
      item = set->items[place];
      position = static_cast<int64_t>(place + 1);
      return true;
    }
    case Kind::Dict: {
      DictObject* dict = source.as_dict();
      if (static_cast<size_t>(position) >= dict->size()) return false;
      DictObject::Entry entry = dict->entry(static_cast<size_t>(position++));
      if (pairs) item = new_pair(Value::share(entry.key), *entry.value);
      else item = entry_dict(entry);
      return true;
    }
    case Kind::String: {
      std::string_view text = source.as_string()->view();
      if (static_cast<size_t>(position) >= text.size()) return false;
      size_t size = text::char_size(text, static_cast<size_t>(position));
      item = char_string(text.substr(static_cast<size_t>(position), size));
      position += static_cast<int64_t>(size);
      return true;
    }
    default: return false;
  }
}

// Takes the next item of a source that is no generator.
static bool take_plain(IterObject& iter, Value& item) {
  if (next_plain(iter.source, iter.position, item, true)) return true;
  iter.exhausted = true;
  iter.source.set_nil();
  return false;
}

// ---- iterators without code to run ----

LeafChain::LeafChain(IterObject& iter) {
  IterObject* at = &iter;
  while (!at->exhausted && at->source.is(Kind::Generator)) {
    const GeneratorObject* generator = at->source.as_generator();
    bool is_fresh =
        generator->state == GeneratorObject::State::Suspended && !(generator->flags & GeneratorObject::kBegun);
    if (!is_fresh || count_ == kMost) return;
    const Coroutine& coroutine = *generator->coroutine;
    Prototype::Stage kind = coroutine.frames[0].proto->stage;
    if (kind == Prototype::Stage::None || !coroutine.stack[0].is(Kind::Iter)) return;
    if (!stages_[count_].callback.prepare(coroutine.stack[1], 1)) return;
    stages_[count_].iter = at;
    stages_[count_++].kind = kind;
    at = coroutine.stack[0].as_iter();
  }
  if (!at->exhausted && !at->source.is(Kind::Handle)) source_ = at;
}

Pulled LeafChain::next(Value& item) {
  for (;;) {
    step();
    int64_t position = source_->position;
    if (!take_plain(*source_, item)) {
      for (uint32_t i = count_; i-- > 0;) {  // the outer ones hold the inner ones
        stages_[i].iter->exhausted = true;
        stages_[i].iter->source.set_nil();
      }
      return Pulled::Nothing;
    }
    bool is_wanted = true;
    for (uint32_t i = count_; i-- > 0 && is_wanted;) {
      const Value* result = stages_[i].callback.call(item);
      if (!result) {
        // The generators begin with the item that they must deal with themselves.
        source_->position = position;
        return Pulled::Refused;
      }
      if (stages_[i].kind == Prototype::Stage::Filter) is_wanted = truthy(*result);
      else item = Value(*result);
    }
    if (is_wanted) return Pulled::Item;
  }
}

Status Interpreter::for_next(Value& source, Value& position, Value& item, bool& more) {
  if (source.is(Kind::Generator)) {
    co_->await = Coroutine::Await::ForLoop;
    co_->await_iter = nullptr;
    Value keep = source;
    return resume(keep.as_generator());
  }
  if (source.is(Kind::Handle)) return handle_next(source, nullptr, item, more);
  if (!source.is(Kind::Iter)) {
    int64_t at = position.as_int();
    more = next_plain(source, at, item, false);
    position.set_int(at);
    return Status::Done;
  }
  IterObject* iter = source.as_iter();
  if (iter->exhausted) return Status::Done;
  if (iter->source.is(Kind::Generator)) {
    if (LeafChain chain(*iter); chain) {
      Pulled pulled = chain.next(item);
      more = pulled == Pulled::Item;
      if (pulled != Pulled::Refused) return Status::Done;
    }
    co_->await = Coroutine::Await::ForLoop;
    co_->await_iter = iter;
    return resume(iter->source.as_generator());
  }
  if (iter->source.is(Kind::Handle)) return handle_next(iter->source, iter, item, more);
  more = take_plain(*iter, item);
  return Status::Done;
}

// ---- generators ----

// A call of a generator function runs like any other until its parameters are ready; then what it has in
// its registers becomes the generator.
Value Interpreter::begin_generator(const Frame& frame, const Instruction* start) {
  auto generator = new_generator(frame.proto->code->is_stream ? GeneratorObject::kStream : 0);
  auto* coroutine = new Coroutine;
  generator->coroutine = coroutine;
  coroutine->generator = generator.get();
  if (task_->is_away()) coroutine->environment = Value::share(task_->environment.get());
  uint32_t registers = frame.proto->registers;
  coroutine->grow_stack(registers + 1u);
  Value* from = co_->stack + frame.base;
  for (uint32_t i = 0; i < registers; ++i) coroutine->stack[i] = std::move(from[i]);
  coroutine->grow_frames();
  retain(frame.closure);
  coroutine->frames[coroutine->frame_count++] = {frame.proto, frame.closure, start, 0, 0, Frame::kOwnsClosure};
  return Value(std::move(generator));
}

Status Interpreter::resume(GeneratorObject* generator) {
  if (generator->state == GeneratorObject::State::Running) {
    return fail(runtime_error("a generator cannot pull from itself"));
  }
  if (generator->state == GeneratorObject::State::Done) {
    deliver(Value(), true);
    return Status::Entered;
  }
  uint32_t frames_below = co_->frames_below + co_->frame_count;
  if (frames_below >= vm_.limits().max_frames)
    return fail(plain_error(ErrorKind::Limit, "Stack overflow: too many nested calls"));
  retain(generator);
  generator->coroutine->frames_below = frames_below;
  generator->state = GeneratorObject::State::Running;
  generator->flags |= GeneratorObject::kBegun;
  generator->coroutine->resumer = co_;
  make_current(generator->coroutine);
  bool begins_watching = false;
  if (co_->frames[0].proto->cleans_up && !(generator->flags & GeneratorObject::kWatched)) {
    generator->flags |= GeneratorObject::kWatched;
    ++task_->watched;
    begins_watching = !std::exchange(task_->is_watching, true);
  }
  Status status = switch_environment();
  return begins_watching ? Status::Switched : status;
}

// To the program variables of the generator that has just become current.
Status Interpreter::switch_environment() {
  auto* wanted = co_->environment.is_nil() ? task_->home_environment.get()
                                           : static_cast<Environment*>(co_->environment.as<HandleObject>());
  if (wanted == task_->environment.get()) [[likely]]
    return Status::Entered;
  enter_environment(*wanted);
  co_->has_switched = true;
  return Status::Switched;
}

// The running generator has no frame left: back to whoever pulled.
void Interpreter::finish_generator() {
  Coroutine* ended = co_;
  GeneratorObject* generator = ended->generator;
  make_current(ended->resumer);
  if (ended->has_switched) leave_environment();
  if (generator->flags & GeneratorObject::kWatched) {
    generator->flags &= ~GeneratorObject::kWatched;
    --task_->watched;
  }
  if (ended->is_closing && ended->next_closing) {
    if (task_->first_closing) ended->last_closing->coroutine->next_closing = task_->first_closing;
    else task_->last_closing = ended->last_closing;
    task_->first_closing = ended->next_closing;
  }
  generator->state = GeneratorObject::State::Done;
  generator->coroutine = nullptr;
  delete ended;
  if (co_->await == Coroutine::Await::ForLoop && co_->await_iter) co_->await_iter->exhausted = true;
  release(generator);
}

// Lets the first of the dropped generators run its clean-up code, by an error that no `catch` sees. The running
// frame goes on when it has ended; what clean-up code throws is thrown there.
void Interpreter::start_closing() {
  GeneratorObject* generator = task_->first_closing;
  Coroutine* coroutine = generator->coroutine;
  // The others wait until it has ended; what it drops itself is closed at once.
  coroutine->last_closing = std::exchange(task_->last_closing, nullptr);
  task_->first_closing = nullptr;
  co_->await = Coroutine::Await::Nothing;
  generator->state = GeneratorObject::State::Running;
  coroutine->frames_below = co_->frames_below + co_->frame_count;
  coroutine->resumer = co_;
  coroutine->is_closing = true;
  make_current(coroutine);
  switch_environment();
  error_ = new_error(ErrorClass::Closed, Value());
}

void Interpreter::deliver(Value value, bool done) {
  if (co_->await == Coroutine::Await::Nothing) return;
  if (co_->await == Coroutine::Await::Register) {
    co_->stack[co_->await_register] = std::move(value);
    return;
  }
  if (co_->await == Coroutine::Await::Next) {
    static Shape* const shape = empty_shape()->with(intern("value"))->with(intern("done"));
    auto dict = new_dict(shape);
    dict->slots()[0] = std::move(value);
    dict->slots()[1] = Value::boolean(done);
    co_->stack[co_->await_register] = Value(std::move(dict));
    return;
  }
  if (done) {
    if (co_->await_iter) co_->await_iter->exhausted = true;
    return;
  }
  co_->stack[co_->await_register] = std::move(value);
  co_->frames[co_->frame_count - 1].pc = co_->await_value;
}

}  // namespace harn::vm
