#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vm/value.h"

// A transcript as every provider can take it.
//
// Transcripts are what has happened: cut anywhere, interrupted, written by programs, begun with another provider. Wire formats
// have rules. The projection of a transcript keeps them all by construction, so that adapters only translate:
//
//  - turns of the user and the assistant alternate; the first and the last are the user's;
//  - each call of an assistant's turn has its one result at the beginning of the next turn, in the order of the calls; a call
//    that never got one has one that says so; a result that belongs to no call is text;
//  - ids of calls are unique, and made of letters, digits, `_` and `-`, at most 40;
//  - no text is empty or only white space, and no turn is empty;
//  - reasoning is there only for the provider that issued it, and never last in its turn;
//  - media are the user's: those of the assistant are named in words;
//  - system messages before everything else are part of `system`; later ones are text of the user.
namespace harn::llm {

struct Projected {
  struct Part {
    enum class Kind : uint8_t { Text, Media, Call, Result, Reasoning };
    Kind kind;
    std::string text;  // Text
    std::string id;    // Call, Result
    std::string name;  // Call, Result: as it may be sent
    // Media: the block; Call: its arguments, a dict; Reasoning: the block. Result: blocks of media.
    vm::Value value = {};
    bool is_error = false;  // Result
  };
  struct Turn {
    bool is_user;
    std::vector<Part> parts;
  };
  std::string system;
  std::vector<Turn> turns;
};

Projected project(const vm::Value& request);

// What stands for a block of media where it cannot be shown.
std::string media_words(const vm::Value& block);

// A tool's name as all providers take it: letters, digits, `_` and `-`, at most 64.
std::string sendable_name(std::string_view name);

}  // namespace harn::llm
