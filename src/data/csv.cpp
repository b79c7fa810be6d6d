#include "data/csv.h"

#include <set>
#include <string>
#include <vector>

#include "vm/dict.h"
#include "vm/ops.h"
#include "vm/pace.h"

namespace harn::data {

using namespace vm;

namespace {

// ---- reading ----

class CsvReader {
 public:
  CsvReader(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  // The fields of the next row that is not empty; false at the end.
  bool next(std::vector<Value>& fields) {
    fields.clear();
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
    if (at_ >= text_.size()) return false;
    while (true) {
      size_t start = at_;
      fields.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted_field() : plain_field());
      step_bytes(64 + at_ - start);
      if (at_ >= text_.size() || text_[at_] != delimiter_) return true;
      ++at_;
    }
  }

 private:
  Value plain_field() {
    size_t start = at_;
    while (at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    return text_value(text_.substr(start, at_ - start));
  }

  // Text between the closing quote and the next delimiter is taken as it stands.
  Value quoted_field() {
    std::string field;
    ++at_;
    while (at_ < text_.size()) {
      size_t quote = text_.find('"', at_);
      if (quote == std::string_view::npos) quote = text_.size();
      field += text_.substr(at_, quote - at_);
      at_ = std::min(quote + 1, text_.size());
      if (at_ >= text_.size() || text_[at_] != '"') break;
      field += '"';
      ++at_;
    }
    size_t start = at_;
    while (at_ < text_.size() && text_[at_] != delimiter_ && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
    field += text_.substr(start, at_ - start);
    return text_value(field);
  }

  std::string_view text_;
  char delimiter_;
  size_t at_ = 0;
};

// Short rows are filled with "", long ones lose what has no header.
Value dict_row(const Value& blank, std::span<const Value> headers, std::vector<Value>& fields) {
  Value row = blank;
  for (size_t i = 0; i < headers.size() && i < fields.size(); ++i) {
    step();
    dict_set(row, headers[i].as_string(), std::move(fields[i]));
  }
  return row;
}

}  // namespace

Value parse_csv(std::string_view text, const CsvOptions& options) {
  CsvReader reader(text, options.delimiter);
  auto rows = new_list();
  std::vector<Value> headers, fields;
  Value blank = new_dict();
  if (options.headers && reader.next(headers)) {
    for (const Value& header : headers) dict_set(blank, header.as_string(), text_value(""));
  }
  while (reader.next(fields)) {
    if (options.headers) rows->push(dict_row(blank, headers, fields));
    else rows->push(new_list(fields));
  }
  return rows;
}

// ---- writing ----

namespace {

void append_field(std::string& out, const Value& value, char delimiter) {
  std::string text = value.is_nil() ? "" : display(value);
  bool quoted = text.find_first_of("\"\r\n") != std::string::npos || text.find(delimiter) != std::string::npos;
  if (!quoted) {
    out += text;
    return;
  }
  out += '"';
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_row(std::string& out, std::span<const Value> fields, char delimiter) {
  size_t start = out.size();
  for (size_t i = 0; i < fields.size(); ++i) {
    step();
    if (i) out += delimiter;
    append_field(out, fields[i], delimiter);
  }
  // A row of one empty field would read back as no row at all.
  if (out.size() == start && fields.size() == 1) out += "\"\"";
  out += '\n';
}

bool is_dict(const Value& value) { return value.is_dict() || value.is(Kind::Struct); }

Parsed<bool> rows_are_dicts(const ListObject* rows) {
  size_t dicts = 0;
  for (const Value& row : rows->values()) {
    step();
    if (is_dict(row)) ++dicts;
    else if (!is_list_like(row)) {
      return format_error(ErrorKind::Type, "each row must be a list of cells (or use dict rows)");
    }
  }
  if (dicts != 0 && dicts != rows->size) return format_error("mixed list/dict rows are not supported");
  return dicts != 0;
}

void append_dict_rows(std::string& out, const ListObject* rows, const CsvOptions& options) {
  std::set<std::string_view> names;
  for (const Value& row : rows->values()) {
    step();
    for (auto [key, value] : row.as_dict()->entries()) names.insert(key->view());
  }
  std::vector<Value> fields;
  if (options.headers) {
    for (std::string_view name : names) fields.push_back(text_value(name));
    append_row(out, fields, options.delimiter);
  }
  for (const Value& row : rows->values()) {
    step();
    fields.clear();
    for (std::string_view name : names) {
      const Value* value = row.as_dict()->find(name);
      fields.push_back(value ? *value : Value());
    }
    append_row(out, fields, options.delimiter);
  }
}

}  // namespace

Written append_csv(std::string& out, const ListObject* rows, const CsvOptions& options) {
  auto are_dicts = rows_are_dicts(rows);
  if (!are_dicts) return std::unexpected(are_dicts.error());
  if (*are_dicts) {
    append_dict_rows(out, rows, options);
  } else {
    for (const Value& row : rows->values()) {
      step();
      if (list_size(row) > kMaxListSize) return format_error(ErrorKind::Limit, "a row is too large");
      append_row(out, to_list_object(row)->values(), options.delimiter);
    }
  }
  if (out.size() > kMaxStringSize) return format_error(ErrorKind::Limit, "the rows are too large");
  return {};
}

}  // namespace harn::data
