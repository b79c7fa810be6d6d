// Lists, dicts, structs and text: a part of the loop in interpreter.cpp, which includes it. What is in place is the case
// where an inline cache or an index hits and nobody else holds the collection; the rest is in access.cpp.

// clang-format off

  // ---- collections and text ----
OP(NewList) {
  uint32_t count = C;
  Value* first = &RB;
  auto list = new_list(count);
  for (uint32_t i = 0; i < count; ++i) list->push(std::move(first[i]));
  RA = Value(std::move(list));
  NEXT;
}
OP(ListPush) RA.as_list()->push(std::move(RB)); NEXT;
OP(ListSpread) {
  frame->pc = pc + 1;
  Status status = list_spread(RA, RB);
  if (status == Status::Failed) goto failure;
  BRANCH(status == Status::Done)
}
OP(NewDict) RA = new_dict(); NEXT;
OP(NewDictOf) {
  auto x = static_cast<uint32_t>((pc++)->x);
  uint32_t count = C;
  Value* values = &RB;
  if (Shape* shape = proto->shapes[x]) [[likely]] {
    auto dict = new_dict(shape);
    Value* slots = dict->slots();
    for (uint32_t i = 0; i < count; ++i) {
      slots[i].init_raw(values[i].kind(), values[i].bits());
      values[i].forget();
    }
    RA = Value(std::move(dict));
    NEXT;
  }
  const auto& keys = std::get<Keys>(proto->code->constants[x]);
  Value dict = new_dict(count);
  for (uint32_t i = 0; i < count; ++i) dict_set(dict, keys[i], std::move(values[i]));
  RA = std::move(dict);
  NEXT;
}
OP(DictPut) SETTLE(set_index(RA, RB, std::move(RC)));
OP(DictSpread)
  frame->pc = pc;
  SETTLE(dict_spread(RA, RB, C != 0));
OP(NewStruct) {
  auto x = static_cast<uint32_t>((pc++)->x);
  SETTLE(new_struct_of(RA, *proto, x, &RB, C));
}
OP(NewRange) OP(NewRangeExclusive) {
  SETTLE(settle(range_between(RB, RC, OPCODE == Op::NewRange), RA));
}
OP(Concat) {
  frame->pc = pc;
  Value text = concat(&RB, C);
  RA = std::move(text);
  NEXT;
}
OP(GetField) {
  InlineCache& cache = *(pc++)->cache;
  const Value& object = RB;
  if (object.is(Kind::Dict) || object.is(Kind::Struct)) [[likely]] {
    DictObject* dict = object.as_dict();
    if (uint64_t key = cache.key(); cache_pointer(key) == dict->shape) [[likely]] {
      RA = dict->slots()[key & 0xFFFF];
      NEXT;
    }
  }
  frame->pc = pc;
  SETTLE(get_field(RA, object, cache, C));
}
OP(SetField) {
  InlineCache& cache = *(pc++)->cache;
  Value& object = RA;
  if ((object.is(Kind::Dict) || object.is(Kind::Struct)) && object.is_unique()) [[likely]] {
    DictObject* dict = object.as_dict();
    if (uint64_t key = cache.key(); cache_pointer(key) == dict->shape) [[likely]] {
      Value& slot = dict->slots()[key & 0xFFFF];
      if (is_alike(dict, slot, RB)) [[likely]] {
        slot = std::move(RB);
        NEXT;
      }
    }
  }
  frame->pc = pc;
  SETTLE(set_field(object, cache, std::move(RB)));
}
OP(GetIndex) {
  const Value& object = RB;
  const Value& key = RC;
  if (object.is_list() && key.is_int()) [[likely]] {
    ListObject* list = object.as_list();
    auto at = static_cast<uint64_t>(key.as_int());
    if (at < list->size) [[likely]] {
      RA = list->items[at];
      NEXT;
    }
  } else if (object.is_dict() && key.is_string()) {
    const Value* found = object.as_dict()->find(key.as_string());
    if (found) RA = *found;
    else RA.set_nil();
    NEXT;
  }
  SETTLE(other<index>(object, key, RA));
}
OP(SetIndex) {
  Value& object = RA;
  const Value& key = RB;
  if (object.is_list() && key.is_int() && object.is_unique()) [[likely]] {
    ListObject* list = object.as_list();
    auto at = static_cast<uint64_t>(key.as_int());
    if (at < list->size && is_alike(list, list->items[at], RC)) [[likely]] {
      list->items[at] = std::move(RC);
      NEXT;
    }
  }
  frame->pc = pc;
  SETTLE(set_index(object, key, std::move(RC)));
}
OP(GetSlice) {
  Value* part = &RB;
  frame->pc = pc;
  SETTLE(settle(slice(std::move(part[0]), part[1], part[2]), RA));
}
OP(SetPath) {
  auto x = static_cast<uint32_t>((pc++)->x);
  Value* keys = &RB;
  uint32_t count = C;
  Value* target;
  switch (static_cast<Place>(A)) {
    case Place::Global:
      G = own_globals();
      target = &G[x];
      break;
    case Place::Capture: target = &frame->closure->captures()[x].as<CellObject>()->value; break;
    default: target = &R[x].as<CellObject>()->value;
  }
  if (target->is(Kind::Unset)) {
    FAIL(plain_error(ErrorKind::Name, "Undefined variable: {}",
                     static_cast<Place>(A) == Place::Global ? proto->unit->program->globals[x] : "?"));
  }
  frame->pc = pc;
  SETTLE(set_path(*target, keys, count, std::move(keys[count])));
}
OP(SetPathLocal) {
  const PathSteps& steps = proto->code->paths[(pc++)->x];
  Value* keys = &RB;
  frame->pc = pc;
  if (Value* place = place_of(RA, steps, *proto, keys)) [[likely]] {
    *place = std::move(keys[C]);
    NEXT;
  }
  SETTLE(set_steps(RA, steps, *proto, keys, std::move(keys[C])));
}
OP(DestructureCheck) {
  const Value& value = RA;
  if (B == 0 ? !(value.is(Kind::Dict) || value.is(Kind::Struct)) : !is_list_like(value)) {
    FAIL(plain_error(ErrorKind::Type, "{} destructuring requires a {} value", B ? "list" : "dict", B ? "list" : "dict"));
  }
  NEXT;
}
OP(ListRest) {
  size_t from = (pc++)->x;
  frame->pc = pc;
  Value rest = list_rest(RB, from, C != 0);
  RA = std::move(rest);
  NEXT;
}
OP(DictRest) {
  auto x = static_cast<uint32_t>((pc++)->x);
  RA = dict_rest(RB, std::get<Keys>(proto->code->constants[x]));
  NEXT;
}
OP(ListItem) {
  size_t number = (pc++)->x;
  const Value& list = RB;
  Value item = number < list_size(list) ? list_item(list, number) : Value();
  RA = std::move(item);
  NEXT;
}
