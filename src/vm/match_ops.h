// Patterns, and the declarations of what they match: a part of the loop in interpreter.cpp, which includes it.

// clang-format off

  // ---- match ----
OP(NoMatch) FAIL(throw_text(ErrorKind::Runtime, "No match arm matched the value: {}", shown(RA)));
OP(FindArm) {
  const ArmTable& table = proto->code->arm_tables[(pc++)->x];
  const Value& value = RA;
  if (value.is(Kind::Enum) && value.as_enum()->type->declaration == table.declaration) {
    pc = proto->start + table.targets[value.as_enum()->variant];
  }
  NEXT;
}
OP(JumpIfNotVariant) {
  InlineCache& cache = *(pc++)->cache;
  const Value& value = RA;
  bool matches;
  if (uint64_t key = cache.key(); value.is(Kind::Enum) && cache_pointer(key) == value.as_enum()->type) [[likely]] {
    matches = (key & 0xFFFF) == value.as_enum()->variant;
  } else {
    matches = is_variant(value, cache);
  }
  BRANCH(!matches)
}
OP(EnumField) {
  uint64_t number = (pc++)->x;
  const Value& value = RB;
  EnumObject* object = value.as_enum();
  if (number < object->count) RA = Value(object->fields()[number]);
  else RA.set_nil();
  NEXT;
}
OP(JumpIfNotList) {
  uint64_t wanted = (pc++)->x;
  const Value& value = RA;
  bool matches = is_list_like(value) && (wanted & 1 ? list_size(value) >= wanted / 2 : list_size(value) == wanted / 2);
  BRANCH(!matches)
}
OP(JumpIfNoKeys) {
  auto x = static_cast<uint32_t>((pc++)->x);
  BRANCH(!has_keys(RA, std::get<Keys>(proto->code->constants[x])))
}
OP(NewEnumType)
  RA = declare_enum(std::get<EnumShape>(proto->code->constants[in->index]), *proto->code);
  NEXT;
OP(NewStructType)
  RA = declare_struct(std::get<StructShape>(proto->code->constants[in->index]), *proto->code);
  NEXT;
OP(AddMethod) SETTLE(declare_method(RA, K[in->index].as_string(), RA1));
