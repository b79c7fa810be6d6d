#include <gtest/gtest.h>

#include "base/fmt.h"
#include "builtins/schema_fit.h"
#include "data/json.h"
#include "data_call.h"
#include "vm/ops.h"

namespace harn::builtins {
namespace {

using namespace vm;

Value J(std::string_view text) {
  auto value = data::parse_json(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : Value();
}

// The errors of a value against a schema, both as JSON; "ok" when it fits.
std::string errors(std::string_view value, std::string_view schema) {
  static DataCall data;
  std::string result = data.run("json_validate", J(value), J(schema));
  return result == "true" ? "ok" : result;
}

TEST(Schema, Types) {
  EXPECT_EQ(errors("1", R"({"type": "int"})"), "ok");
  EXPECT_EQ(errors("1", R"({"type": "float"})"), "!at root: expected type 'float', got 'int'");
  EXPECT_EQ(errors("1", R"({"type": "number"})"), "ok");
  EXPECT_EQ(errors("[]", R"({"type": "object"})"), "!at root: expected type 'dict', got 'list'");
  EXPECT_EQ(errors("null", R"({"type": ["string", "null"]})"), "ok");
  EXPECT_EQ(errors("1", R"({"type": ["string", "null"]})"), "!at root: expected type 'string|nil', got 'int'");
  EXPECT_EQ(errors("null", R"({"type": "string", "nullable": true})"), "ok");
  EXPECT_EQ(errors("1", R"({"type": "no such"})"), "!json_validate: unknown schema type 'no such'");
  EXPECT_EQ(errors("1", "5"), "!json_validate: schema must be a dict");
  EXPECT_EQ(errors("1", "true"), "ok");
  EXPECT_EQ(errors("1", "false"), "!at root: no value is allowed here");
}

// The value as the schema wants it and what was mended, both as text; "fits" when nothing had to be.
std::string fitted(std::string_view value, std::string_view schema) {
  Value wanted = J(schema);
  schema::Fitter fitter(wanted, RegexCache::of_thread());
  Value made = fitter.fit(J(value));
  if (fitter.repairs.empty() && equal(made, J(value))) return "fits";
  std::string out;
  EXPECT_TRUE(data::append_json(out, made));
  for (const schema::FitRepair& one : fitter.repairs) out += fmt::format(" {} {}", one.kind, one.path);
  return out;
}

TEST(Schema, ValuesAreMadeToFit) {
  EXPECT_EQ(fitted("3", R"({"type": "int"})"), "fits");
  EXPECT_EQ(fitted(R"("3 units")", R"({"type": "int"})"), "3 text_to_number root");
  EXPECT_EQ(fitted(R"("$1,200.50")", R"({"type": "float"})"), "1200.5 text_to_number root");
  EXPECT_EQ(fitted(R"("-4")", R"({"type": "int"})"), "-4 text_to_number root");
  EXPECT_EQ(fitted(R"("3 to 5")", R"({"type": "int"})"), "fits");
  EXPECT_EQ(fitted("2.0", R"({"type": "int"})"), "2 float_to_int root");
  EXPECT_EQ(fitted("2.5", R"({"type": "int"})"), "fits");
  EXPECT_EQ(fitted(R"("Yes")", R"({"type": "bool"})"), "true text_to_bool root");
  EXPECT_EQ(fitted("12", R"({"type": "string"})"), R"("12" to_text root)");
  EXPECT_EQ(fitted(R"("N/A")", R"({"type": "int", "nullable": true})"), "null text_to_nil root");
  EXPECT_EQ(fitted(R"("BUG")", R"({"enum": ["bug", "praise"]})"), R"("bug" enum_spelling root)");
  EXPECT_EQ(fitted(R"("In progress")", R"({"enum": ["in_progress", "done"]})"), R"("in_progress" enum_spelling root)");
  EXPECT_EQ(fitted(R"("It is a bug.")", R"({"enum": ["bug", "praise"]})"), R"("bug" enum_spelling root)");
  EXPECT_EQ(fitted(R"("a bug or praise")", R"({"enum": ["bug", "praise"]})"), "fits");
  EXPECT_EQ(fitted(R"("a")", R"({"type": "list", "items": {"type": "string"}})"), R"(["a"] wrapped_in_list root)");
  EXPECT_EQ(fitted(R"(["5"])", R"({"type": "int"})"), "5 unwrapped_list root text_to_number root");
  EXPECT_EQ(fitted(R"({"items": [1, "2"]})", R"({"type": "list", "items": {"type": "int"}})"),
            "[1,2] unwrapped_object root text_to_number [1]");
  EXPECT_EQ(fitted(R"("[1, 2]")", R"({"type": "list"})"), "[1,2] parsed_text root");
  constexpr std::string_view kPerson =
      R"({"type": "dict", "properties": {"user_name": {"type": "string"}, "age": {"type": "int"}},
          "required": ["user_name"], "additional_properties": false})";
  EXPECT_EQ(fitted(R"({"userName": "Ada", "Age": "36 years", "note": 1})", kPerson),
            R"({"age":36,"user_name":"Ada"} renamed_key root renamed_key root dropped_key root text_to_number age)");
  EXPECT_EQ(fitted(R"({"person": {"user_name": "Ada"}})", kPerson), R"({"user_name":"Ada"} unwrapped_object root)");
  EXPECT_EQ(fitted(R"([{"user_name": "Ada"}])", kPerson), R"({"user_name":"Ada"} unwrapped_list root)");
  constexpr std::string_view kEither = R"({"union": [{"type": "int"}, {"enum": ["many", "none"]}]})";
  EXPECT_EQ(fitted(R"("MANY")", kEither), R"("many" enum_spelling root)");
  EXPECT_EQ(fitted(R"("7 of them")", kEither), "7 text_to_number root");
  constexpr std::string_view kTree =
      R"({"$defs": {"node": {"type": "dict", "properties": {"n": {"type": "int"}, "next": {"$ref": "#/$defs/node"}}}},
          "$ref": "#/$defs/node"})";
  EXPECT_EQ(fitted(R"({"n": "1", "next": {"n": "2"}})", kTree),
            R"({"n":1,"next":{"n":2}} text_to_number n text_to_number next.n)");
}

TEST(Schema, Messages) {
  EXPECT_EQ(errors(R"({"a": {"b": [1, "x"]}})",
                   R"({"properties": {"a": {"properties": {"b": {"items": {"type": "int"}}}}}})"),
            "!at a.b[1]: expected type 'int', got 'string'");
  EXPECT_EQ(errors("[\"x\"]", R"({"items": {"type": "int"}})"), "!at root[0]: expected type 'int', got 'string'");
  EXPECT_EQ(errors("{}", R"({"required": ["k"]})"), "!at root: missing required key 'k'");
  EXPECT_EQ(errors("{\"k\": 1}", R"({"additionalProperties": false})"), "!at root: unexpected key 'k'");
  EXPECT_EQ(errors("3", R"({"enum": [1, 2]})"), "!at root: value must be one of [1, 2]");
  EXPECT_EQ(errors("3", R"({"const": 4})"), "!at root: expected constant 4, got 3");
  EXPECT_EQ(errors("3", R"({"minimum": 4})"), "!at root: expected value >= 4, got 3");
  EXPECT_EQ(errors("3", R"({"max": 2})"), "!at root: expected value <= 2, got 3");
  EXPECT_EQ(errors("\"é\"", R"({"minLength": 2})"), "!at root: expected length >= 2, got 1");
  EXPECT_EQ(errors("\"abc\"", R"({"max_length": 2})"), "!at root: expected length <= 2, got 3");
  EXPECT_EQ(errors("[]", R"({"min_items": 1})"), "!at root: expected at least 1 items, got 0");
  EXPECT_EQ(errors("[1, 2]", R"({"maxItems": 1})"), "!at root: expected at most 1 items, got 2");
  EXPECT_EQ(errors("\"abc\"", R"({"pattern": "^b"})"), "!at root: value does not match pattern '^b'");
  EXPECT_TRUE(errors("\"abc\"", R"({"pattern": "("})").starts_with("!at root: invalid regex pattern '(': "));
  EXPECT_EQ(errors("1", R"({"union": [{"type": "string"}]})"), "!at root: value did not match any union branch");
  EXPECT_EQ(errors("1", R"({"$ref": "#/$defs/x"})"), "!at root: unresolved schema reference '#/$defs/x'");
  EXPECT_EQ(errors(R"({"a": "x"})", R"({"required": ["b"], "properties": {"a": {"type": "int"}}})"),
            "!at root: missing required key 'b'; at a: expected type 'int', got 'string'");
}

TEST(Schema, JsonSchemaWords) {
  EXPECT_EQ(errors("5", R"({"exclusiveMinimum": 5})"), "!at root: expected value > 5, got 5");
  EXPECT_EQ(errors("5", R"({"minimum": 5, "exclusiveMinimum": true})"), "!at root: expected value > 5, got 5");
  EXPECT_EQ(errors("5", R"({"exclusiveMaximum": 5.5})"), "ok");
  EXPECT_EQ(errors("7", R"({"multipleOf": 2})"), "!at root: expected a multiple of 2, got 7");
  EXPECT_EQ(errors("0.3", R"({"multipleOf": 0.1})"), "ok");
  EXPECT_EQ(errors("[1, 1.0]", R"({"uniqueItems": true})"), "!at root: expected unique items");
  EXPECT_EQ(errors("[1, \"a\", 2]", R"({"prefixItems": [{"type": "int"}, {"type": "string"}], "items": false})"),
            "!at root[2]: no value is allowed here");
  EXPECT_NE(errors("[1, 2]", R"({"contains": {"type": "string"}})"), "ok");
  EXPECT_EQ(errors("[1, \"a\"]", R"({"contains": {"type": "string"}, "maxContains": 1})"), "ok");
  EXPECT_EQ(errors(R"({"s_a": 1, "x": 1})",
                   R"({"patternProperties": {"^s_": {"type": "int"}}, "additionalProperties": false})"),
            "!at root: unexpected key 'x'");
  EXPECT_NE(errors(R"({"AB": 1})", R"({"propertyNames": {"pattern": "^[a-z]+$"}})"), "ok");
  EXPECT_NE(errors(R"({"a": 1})", R"({"dependentRequired": {"a": ["b"]}})"), "ok");
  EXPECT_NE(errors(R"({"a": 1})", R"({"minProperties": 2})"), "ok");
  EXPECT_NE(errors("1", R"({"not": {"type": "int"}})"), "ok");
  EXPECT_NE(errors("1", R"({"oneOf": [{"type": "int"}, {"min": 0}]})"), "ok");
  EXPECT_EQ(errors("1", R"({"anyOf": [{"type": "int"}, {"min": 0}]})"), "ok");
  EXPECT_NE(errors("1", R"({"allOf": [{"type": "int"}, {"min": 2}]})"), "ok");
  EXPECT_NE(errors("1", R"({"if": {"type": "int"}, "then": {"min": 2}, "else": false})"), "ok");
  EXPECT_EQ(errors("\"a\"", R"({"if": {"type": "int"}, "then": {"min": 2}})"), "ok");
  std::string tree =
      R"({"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["v"]}}})";
  EXPECT_EQ(errors(R"({"v": 1, "next": {"v": 2}})", tree), "ok");
  EXPECT_EQ(errors(R"({"v": 1, "next": {}})", tree), "!at next: missing required key 'v'");
}

TEST(Schema, EndlessSchemasEnd) {
  EXPECT_NE(errors("1", R"({"$ref": "#"})"), "ok");
  EXPECT_NE(errors("1", R"({"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]})"), "ok");
}

TEST(Schema, ResultsAndDefaults) {
  DataCall data;
  Value schema = J(
      R"({"type": "dict", "properties": {"a": {"type": "int", "default": 1}, "b": {"properties": {"c": {"default": [2]}}}}, "required": ["a"]})");
  EXPECT_EQ(data.run("schema_check", D({}), schema),
            "Result.Err({errors: [at root: missing required key 'a'], message: at root: missing required key 'a', "
            "value: {}})");
  EXPECT_EQ(data.run("schema_parse", D({{"b", D({})}}), schema), "Result.Ok({a: 1, b: {c: [2]}})");
  EXPECT_EQ(data.run("schema_expect", D({}), schema), "!at root: missing required key 'a'");
  EXPECT_EQ(data.run("schema_expect", D({}), schema, B(true)), "{a: 1}");
  EXPECT_EQ(data.run("schema_is", D({}), schema), "false");
  EXPECT_EQ(data.run("schema_of", I(1)), "!schema_of: expected a type alias or schema dict, got int");
  EXPECT_EQ(
      data.run("schema_parse", L({D({}), D({{"a", I(2)}})}), J(R"({"items": {"properties": {"a": {"default": 1}}}})")),
      "Result.Ok([{a: 1}, {a: 2}])");
}

TEST(Schema, Recovers) {
  DataCall data;
  Value schema = J(
      R"({"type": "dict", "properties": {"name": {"type": "string"}, "age": {"type": "int"}}, "required": ["name", "age"]})");
  auto stage = [&](std::string_view text) {
    auto result = data.call("__schema_recover", {S(text), schema});
    return display(*result->as_dict()->find("stage")) + " " + display(*result->as_dict()->find("data"));
  };
  EXPECT_EQ(stage(R"({"name": "A", "age": 3})"), "parsed {age: 3, name: A}");
  EXPECT_EQ(stage("Sure:\n```json\n{\"name\": \"A\", \"age\": 3}\n```"), "extracted {age: 3, name: A}");
  EXPECT_EQ(stage("**name**: Ann\n- age: 3,\n"), "regex {age: 3, name: Ann}");
  EXPECT_EQ(stage("nothing"), "failed nil");
}

TEST(Schema, Converts) {
  DataCall data;
  Value json = J(
      R"({"type": "object", "properties": {"a": {"type": ["integer", "null"], "minimum": 1}, "b": {"type": "array", "items": {"anyOf": [{"type": "boolean"}]}}}, "additionalProperties": false})");
  EXPECT_EQ(data.run("schema_from_json_schema", json),
            "{additional_properties: false, properties: {a: {min: 1, nullable: true, type: int}, b: {items: {union: "
            "[{type: bool}]}, type: list}}, type: dict}");
  Value canonical = *data.call("schema_from_json_schema", {json});
  EXPECT_TRUE(equal(*data.call("schema_to_json_schema", {canonical}), json));
  EXPECT_EQ(data.run("schema_to_openapi_schema", J(R"({"type": "int", "nullable": true})")),
            "{nullable: true, type: integer}");
  EXPECT_EQ(data.run("schema_pick", I(1), L({})), "!schema_pick: schema must be a dict");
  EXPECT_EQ(data.run("schema_pick", D({}), I(1)), "!schema_pick: keys must be a list");
  EXPECT_EQ(data.run("schema_omit", J(R"({"properties": {"a": {}, "b": {}}, "required": ["a", "b"]})"), L({S("a")})),
            "{properties: {b: {}}, required: [b]}");
}

}  // namespace
}  // namespace harn::builtins
