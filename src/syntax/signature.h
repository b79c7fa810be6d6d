#pragma once

#include <memory>

#include "syntax/tree.h"

// The signatures of builtins, which are Harn except that a parameter may be marked as optional instead of having a
// default value, and that there may be several:
//
//   <T>(items: list<T>, n?: int) -> T; (items: dict) -> any
namespace harn::syntax {

struct SignatureParam {
  Name name;
  const TypeNode* type = nullptr;
  bool optional = false;
  bool rest = false;
};

struct Signature {
  List<GenericParam> generics;
  List<SignatureParam> params;
  const TypeNode* result = nullptr;
};

// Signatures and the arena they live in. What is not one is reported to the sink.
class SignatureTree {
 public:
  SignatureTree(SourcePtr source, diag::Sink& sink);

  List<Signature> signatures() const { return signatures_; }

 private:
  Tree tree_;
  List<Signature> signatures_;
};

}  // namespace harn::syntax
