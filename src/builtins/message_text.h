#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vm/value.h"

// What is derived from the messages of a conversation: texts, events, sizes, and which of them belong together. Pure functions;
// messages are values of programs and may have any shape, so nothing here fails: what makes no sense counts for nothing.
namespace harn::builtins {

// A text field of a dict; empty when there is none.
std::string_view text_of(const vm::Value& dict, std::string_view key);

bool is_tool_result(const vm::Value& message);

// The event of a message: {id, kind, role, visibility, text, blocks, metadata?}. `number` is its place, from 1 on, and makes
// the id: events that are made again have the same ones.
vm::Value message_event(const vm::Value& message, size_t number);
bool is_message_event(const vm::Value& event);

// About how many bytes of text a model is sent for it. Images and the like count as what models charge for one, not as the
// bytes they have.
size_t message_size(const vm::Value& message);
constexpr size_t kBytesPerToken = 4;

// How many calls of tools an assistant's message has.
size_t tool_call_count(const vm::Value& message);

// Where the list can be cut: the places at which a unit begins. A unit is one message, or a message with calls of tools and
// everything up to the last of their results. An id that is used again pairs with the nearest call before it.
std::vector<size_t> unit_starts(const vm::Value& messages);

// A long text, shortened to at most `most` characters: head and tail at line breaks, lines in between that look like
// diagnostics, and markers where something is left out. Shorter texts, and limits below 200, change nothing.
std::string microcompact(std::string_view text, size_t most);

}  // namespace harn::builtins
