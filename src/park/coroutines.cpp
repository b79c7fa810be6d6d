// Stacks: frames, registers, and what a coroutine waits for.
#include <algorithm>

#include "park/objects.h"
#include "vm/environment.h"
#include "vm/sync.h"

namespace harn::park {

using namespace vm;

namespace {

// Registers beyond those of the last frame hold nothing.
size_t used_registers(const Coroutine& coroutine) {
  if (coroutine.frame_count > 0) {
    const Frame& last = coroutine.frames[coroutine.frame_count - 1];
    return last.base + last.proto->registers;
  }
  size_t used = coroutine.stack_size;
  while (used > 0 && coroutine.stack[used - 1].is_nil()) --used;
  return used;
}

// ---- frames ----

void frame_fields(Archive& archive, Frame& frame) {
  uint32_t word = archive.is_reading() ? 0 : frame.next_word();
  archive.object(frame.closure, Kind::Closure);
  archive.number(word);
  archive.number(frame.base);
  archive.number(frame.result);
  archive.number(frame.duties);
  archive.number(frame.after_tail_call);
  if (!archive.is_reading() || !archive.is_good()) return;
  if (!frame.closure) return archive.fail("a call is of nothing");
  frame.proto = frame.closure->proto;
  frame.pc = frame.proto->start + word;
  if (!archive.is_boundary(*frame.proto->code, word)) archive.fail("a call goes on where no instruction begins");
}

// In another process a frame always holds its function: whoever holds it here may not know that one does.
void read_frames(Archive& archive, Coroutine& coroutine) {
  size_t count = 0;
  archive.count(count);
  if (count > archive.vm().limits().max_frames) return archive.fail("there are too many calls");
  for (size_t i = 0; i < count && archive.is_good(); ++i) {
    if (coroutine.frame_count == coroutine.frame_capacity) coroutine.grow_frames();
    Frame frame{};
    frame_fields(archive, frame);
    if (!archive.is_good()) return;
    frame.duties |= Frame::kOwnsClosure;
    retain(frame.closure);
    coroutine.frames[coroutine.frame_count++] = frame;
  }
}

void frames(Archive& archive, Coroutine& coroutine) {
  if (archive.is_reading()) return read_frames(archive, coroutine);
  size_t count = coroutine.frame_count;
  archive.count(count);
  for (size_t i = 0; i < count && archive.is_good(); ++i) frame_fields(archive, coroutine.frames[i]);
}

// How many registers the frames need, of which `used` are about to be read. A function may have more than the one it
// has called, whose registers begin among its own.
size_t needed_registers(Archive& archive, const Coroutine& coroutine, size_t used) {
  size_t needed = used;
  uint32_t base = 0;
  for (uint32_t i = 0; i < coroutine.frame_count; ++i) {
    const Frame& frame = coroutine.frames[i];
    if (frame.base < base || frame.base > used || frame.result > used) archive.fail("a call is outside of its stack");
    base = frame.base;
    needed = std::max<size_t>(needed, size_t{base} + frame.proto->registers);
  }
  return needed;
}

void registers(Archive& archive, Coroutine& coroutine) {
  size_t count = used_registers(coroutine);
  if (archive.is_reading()) count = 0;
  archive.count(count);
  if (archive.is_reading()) {
    if (count > archive.vm().limits().max_registers) return archive.fail("there are too many registers");
    size_t needed = needed_registers(archive, coroutine, count) + 1;  // one more for calls from C++ code
    if (!archive.is_good()) return;
    if (coroutine.stack_size < needed) coroutine.grow_stack(static_cast<uint32_t>(needed));
  }
  for (size_t i = 0; i < count && archive.is_good(); ++i) archive.value(coroutine.stack[i]);
}

// ---- what it waits for ----

void await_fields(Archive& archive, Coroutine& coroutine) {
  using Await = Coroutine::Await;
  bool is_awaiting = archive.is_awaiting(&coroutine);
  archive.number(is_awaiting);
  if (!is_awaiting) return;
  archive.choice(coroutine.await, Await::Nothing);
  if (coroutine.await == Await::Nothing) return;
  archive.number(coroutine.await_register);
  if (archive.is_reading() && coroutine.await_register >= coroutine.stack_size) {
    archive.fail("a value is for a register that is not there");
  }
  if (coroutine.await != Await::ForLoop) return;
  const Frame* last = coroutine.frame_count ? &coroutine.frames[coroutine.frame_count - 1] : nullptr;
  if (!last) return archive.fail("a loop is nowhere");
  uint32_t word = archive.is_reading() ? 0 : static_cast<uint32_t>(coroutine.await_value - last->proto->start);
  archive.number(word);
  archive.object(coroutine.await_iter, Kind::Iter);
  if (!archive.is_reading()) return;
  coroutine.await_value = last->proto->start + word;
  if (!archive.is_boundary(*last->proto->code, word)) archive.fail("a loop goes on where no instruction begins");
}

// ---- permits ----

// The lock of a block and since when, or a permit.
void permit_fields(Archive& archive, HeldPermit& held) {
  archive.lock(held.block);
  if (held.block) return archive.number(held.since);
  Permit* permit = archive.is_reading() ? nullptr : static_cast<Permit*>(held.permit);
  archive.handle(permit, kPermitType);
  if (!archive.is_reading()) return;
  if (!permit) return archive.fail("a permit is of nothing");
  retain(permit);
  held.permit = permit;
}

void permits(Archive& archive, Coroutine& coroutine) {
  size_t count = coroutine.permits ? coroutine.permits->size() : 0;
  archive.count(count);
  if (!archive.is_reading()) {
    for (size_t i = 0; i < count; ++i) {
      HeldPermit held = coroutine.permits->at(i);
      permit_fields(archive, held);
    }
    return;
  }
  if (count > 0) coroutine.permits = std::make_unique<HeldPermits>();
  for (size_t i = 0; i < count && archive.is_good(); ++i) {
    HeldPermit held;
    permit_fields(archive, held);
    if (!archive.is_good()) return;
    if (held.block) archive.note_inside(held.block);
    coroutine.permits->add(held);
  }
}

// ---- generators that are to be closed ----

void kept(Archive& archive, Coroutine& coroutine) {
  std::vector<Coroutine::Kept> none;
  auto& all = coroutine.kept ? *coroutine.kept : none;
  archive.items(all, [&](Coroutine::Kept& one) {
    archive.number(one.frame);
    chain(archive, one.first, one.last);
    if (archive.is_reading() && archive.is_good() && !one.first) archive.fail("nothing is to be closed");
  });
  if (archive.is_reading() && archive.is_good() && !none.empty()) {
    coroutine.kept = std::make_unique<std::vector<Coroutine::Kept>>(std::move(none));
  }
}

}  // namespace

void chain(Archive& archive, GeneratorObject*& first, GeneratorObject*& last) {
  std::vector<GeneratorObject*> all;
  if (!archive.is_reading()) {
    for (GeneratorObject* at = first; at; at = at == last ? nullptr : at->coroutine->next_closing) all.push_back(at);
  }
  archive.items(all, [&](GeneratorObject*& one) { archive.object(one, Kind::Generator); });
  if (!archive.is_reading() || !archive.is_good()) return;
  first = last = nullptr;
  for (GeneratorObject* one : all) {
    if (!one || !one->coroutine || one->coroutine->next_closing || one == last) {
      return archive.fail("a generator is closed twice");
    }
    retain(one);
    (last ? last->coroutine->next_closing : first) = one;
    last = one;
  }
}

void make_coroutine(GeneratorObject& generator) {
  generator.coroutine = new Coroutine;
  generator.coroutine->generator = &generator;
}

void fields(Archive& archive, Coroutine& coroutine) {
  frames(archive, coroutine);
  if (archive.is_good()) registers(archive, coroutine);
  if (!archive.is_good()) return;
  await_fields(archive, coroutine);
  permits(archive, coroutine);
  kept(archive, coroutine);
  archive.number(coroutine.is_closing);
  if (coroutine.is_closing) chain(archive, coroutine.next_closing, coroutine.last_closing);
  archive.value(coroutine.environment);
  archive.number(coroutine.has_switched);
  archive.number(coroutine.frames_below);
  if (!archive.is_reading() || coroutine.environment.is_nil()) return;
  if (as_handle<Environment>(coroutine.environment, kEnvironmentType)) return;
  coroutine.environment.set_nil();
  archive.fail("a generator has no variables to run with");
}

}  // namespace harn::park
