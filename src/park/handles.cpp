// The handles of src/vm besides tasks: channels, permits, environments.
#include "park/objects.h"
#include "vm/channel.h"
#include "vm/environment.h"
#include "vm/sync.h"

namespace harn::park {

using namespace vm;

namespace {

Value make_channel(Vm&) { return new_channel("", 0); }
void channel_fields(Archive& archive, HandleObject& handle) {
  auto& channel = static_cast<Channel&>(handle);
  archive.text(channel.name);
  archive.number(channel.capacity);
  archive.number(channel.closed);
  size_t size = channel.items.size();
  archive.count(size);
  for (size_t i = 0; i < size && archive.is_good(); ++i) {
    if (archive.is_reading()) channel.items.push(Value());
    archive.value(channel.items.at(i));
  }
  if (archive.is_reading() && size > 0) archive.vm().holders().note(&channel, channel.noted_in);
  archive.queue(channel.receivers);
  archive.queue(channel.senders);
}

Value make_permit(Vm&) { return new_handle<Permit>(kPermitType); }
void permit_fields(Archive& archive, HandleObject& handle) {
  auto& permit = static_cast<Permit&>(handle);
  Lock* lock = permit.lock ? &*permit.lock : nullptr;
  archive.lock(lock);
  if (archive.is_reading() && !lock) return archive.fail("a permit is of no lock");
  if (archive.is_reading()) permit.lock = archive.still().use(*lock);
  archive.number(permit.amount);
  archive.number(permit.owner);
  archive.number(permit.since);
  archive.number(permit.released);
}

Value make_environment(Vm&) { return new_environment({}); }
void environment_fields(Archive& archive, HandleObject& handle) {
  archive.globals(static_cast<Environment&>(handle).globals);
}

const HandleRow kChannelRow = {&kChannelType, "channel", make_channel, channel_fields};
const HandleRow kPermitRow = {&kPermitType, "permit", make_permit, permit_fields};
const HandleRow kEnvironmentRow = {&kEnvironmentType, "environment", make_environment, environment_fields};

}  // namespace

std::vector<const HandleRow*> own_handles() { return {&kTaskRow, &kChannelRow, &kPermitRow, &kEnvironmentRow}; }

}  // namespace harn::park
