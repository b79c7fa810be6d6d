#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace harn::test {

// Writes random programs: every construct, odd spacing, comments in odd places. Most of them parse.
class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  std::string program() {
    size_t count = 1 + pick(6);
    for (size_t i = 0; i < count; ++i) {
      item();
      newline();
    }
    return out_;
  }

 private:
  size_t pick(size_t count) { return random_() % count; }
  bool chance(size_t percent) { return pick(100) < percent; }

  void put(std::string_view text) {
    space();
    out_ += text;
  }
  void tight(std::string_view text) { out_ += text; }
  void space() {
    switch (pick(in_brackets_ ? 24 : 14)) {
      case 0: out_ += "  "; break;
      case 1: out_ += chance(30) ? " /* c */ " : " "; break;
      case 14: out_ += "\n"; break;
      case 15: out_ += chance(30) ? " // c\n" : " "; break;
      case 16: out_ += chance(30) ? "\n // own\n " : " "; break;
      default: out_ += " "; break;
    }
  }
  void newline() {
    switch (pick(8)) {
      case 0: out_ += "; "; break;
      case 1: out_ += " // tail\n"; break;
      case 2: out_ += "\n\n\n"; break;
      case 3: out_ += "\n// own\n"; break;
      case 4: out_ += "\n/* block */ "; break;
      default: out_ += "\n"; break;
    }
  }

  std::string_view name() {
    static constexpr std::string_view kNames[] = {"a",           "b",       "item",  "some_rather_long_name",
                                                  "x",           "total",   "not",   "with",
                                                  "each",        "gen",     "elif",  "out",
                                                  "as",          "Point",   "Color", "T",
                                                  "description", "timeout", "r"};
    return kNames[pick(std::size(kNames))];
  }
  std::string_view field() {
    static constexpr std::string_view kNames[] = {"a", "type", "match", "value", "in", "to", "length"};
    return kNames[pick(std::size(kNames))];
  }

  template <class Item>
  void list(std::string_view open, std::string_view close, size_t most, Item item, bool adjacent = false) {
    if (adjacent) tight(open);
    else put(open);
    bool outer = in_brackets_;
    in_brackets_ = true;
    size_t count = pick(most + 1);
    for (size_t i = 0; i < count; ++i) {
      item();
      if (i + 1 < count || chance(20)) put(",");
    }
    put(close);
    in_brackets_ = outer;
  }

  void block() {
    put("{");
    bool outer = in_brackets_;
    in_brackets_ = false;
    size_t count = depth_ > 6 ? 0 : pick(3);
    if (count > 0 || chance(20)) newline();
    for (size_t i = 0; i < count; ++i) {
      statement();
      newline();
    }
    put("}");
    in_brackets_ = outer;
  }

  void type() {
    ++depth_;
    switch (depth_ > 6 ? pick(3) : pick(13)) {
      case 0: put("int"); break;
      case 1: put("string"); break;
      case 2: put("nil"); break;
      case 3:
        put("list");
        tight("<");
        type();
        put(">");
        break;
      case 4:
        put("[");
        type();
        put("]");
        break;
      case 5:
        list("fn(", ")", 2, [&] { type(); });
        put("->");
        type();
        break;
      case 6:
        list("{", "}", 3, [&] {
          if (chance(15)) {
            put("...");
            type();
          } else {
            if (chance(20)) put("\"a b\"");
            else put(field());
            if (chance(20)) tight("?");
            put(":");
            type();
          }
        });
        break;
      case 7:
        type();
        put("|");
        type();
        break;
      case 8:
        type();
        put("&");
        type();
        break;
      case 9:
        type();
        tight("?");
        break;
      case 10: put("\"lit\""); break;
      case 11:
        put("(");
        type();
        put(")");
        break;
      case 12: put(chance(50) ? "-3" : "true"); break;
    }
    --depth_;
  }

  void params() {
    list("(", ")", 3, [&] { param(); });
  }
  void param() {
    put(name());
    if (chance(40)) {
      put(":");
      type();
    }
    if (chance(20)) {
      put("=");
      expr();
    }
  }

  void string() {
    switch (pick(6)) {
      case 0: put("\"text\""); break;
      case 1:
        put("\"a ${");
        expr_flat();
        tight("} b\"");
        break;
      case 2: put("r\"raw\\d\""); break;
      case 3: put("\"\"\"\n  one\n    two\n  \"\"\""); break;
      case 4: put("\"esc \\n \\${x}\""); break;
      case 5:
        put("\"\"\"x ${");
        expr_flat();
        tight("}\n  y\"\"\"");
        break;
    }
  }
  // Without a line end.
  void expr_flat() {
    switch (pick(4)) {
      case 0: tight(name()); break;
      case 1: tight("f(1, \"x\")"); break;
      case 2: tight("a[0] /* c */"); break;
      case 3: tight("{a: {b: 1}}"); break;
    }
  }

  void expr() {
    ++depth_;
    if (depth_ > 7) {
      primary();
    } else {
      switch (pick(24)) {
        case 0:
        case 1:
        case 2:
        case 3: primary(); break;
        case 4:
        case 5:
        case 6:
        case 7: binary(); break;
        case 8:
          put("!");
          expr();
          break;
        case 9:
          put("-");
          expr();
          break;
        case 10:
          expr();
          put("?");
          expr();
          put(":");
          expr();
          break;
        case 11:
          expr();
          put("|>");
          expr();
          break;
        case 12:
          expr();
          put("to");
          expr();
          if (chance(30)) put("exclusive");
          break;
        case 13:
        case 14:
        case 15:
        case 16: postfix(); break;
        case 17: parens(); break;
        case 18:
          put("try*");
          expr();
          break;
        case 19:
        case 20: control(); break;
        default: collection(); break;
      }
    }
    --depth_;
  }
  void parens() {
    bool outer = in_brackets_;
    put("(");
    in_brackets_ = true;
    expr();
    put(")");
    in_brackets_ = outer;
  }
  void binary() {
    static constexpr std::string_view kOps[] = {"+",  "-",  "*", "/", "%",  "**", "??", "&&",    "||",
                                                "==", "!=", "<", ">", "<=", ">=", "in", "not in"};
    expr();
    if (chance(10) && !in_brackets_) {
      out_ += "\n";
      out_ += kOps[pick(std::size(kOps))];
    } else {
      put(kOps[pick(std::size(kOps))]);
    }
    expr();
  }
  void postfix() {
    if (chance(40)) postfix_base();
    else parens();
    size_t count = 1 + pick(4);
    for (size_t i = 0; i < count; ++i) {
      if (chance(10)) out_ += "\n // link\n";
      switch (pick(9)) {
        case 0:
          tight(".");
          tight(field());
          break;
        case 1:
          tight("?.");
          tight(field());
          break;
        case 2:
          tight(".");
          tight(field());
          args();
          break;
        case 3:
          tight("?.");
          tight(field());
          args();
          break;
        case 4: args(); break;
        case 5: index("["); break;
        case 6: index("?["); break;
        case 7: slice(); break;
        case 8: tight("?"); break;
      }
    }
  }
  void postfix_base() {
    if (chance(15)) {
      put("f");
      tight("<");
      type();
      put(">");
      args();
    } else {
      primary();
    }
  }
  void args() {
    list(
        "(", ")", 3, [&] { arg(); }, true);
  }
  void arg() {
    if (chance(10)) put("...");
    else if (chance(15)) {
      put(field());
      put(":");
    }
    expr();
  }
  void index(std::string_view open) {
    bool outer = in_brackets_;
    tight(open);
    in_brackets_ = true;
    expr();
    put("]");
    in_brackets_ = outer;
  }
  void slice() {
    bool outer = in_brackets_;
    tight("[");
    in_brackets_ = true;
    if (chance(70)) expr();
    put(":");
    if (chance(70)) expr();
    put("]");
    in_brackets_ = outer;
  }
  void primary() {
    switch (pick(11)) {
      case 0: put("1"); break;
      case 1: put("2.5"); break;
      case 2: put("30s"); break;
      case 3: put("nil"); break;
      case 4: put("true"); break;
      case 5: put("_"); break;
      case 6: string(); break;
      case 7: put("-9223372036854775808"); break;
      default: put(name()); break;
    }
  }
  void dict_entry() {
    switch (pick(6)) {
      case 0:
        put("...");
        expr();
        return;
      case 1:
        put("[");
        expr();
        put("]");
        break;
      case 2: put("\"key\""); break;
      case 3: put("\"two words\""); break;
      default: put(field()); break;
    }
    put(":");
    expr();
  }
  void collection() {
    switch (pick(5)) {
      case 0:
        list("[", "]", 4, [&] {
          if (chance(15)) put("...");
          expr();
        });
        break;
      case 1: list("{", "}", 4, [&] { dict_entry(); }); break;
      case 2:
        list("Point {", "}", 3, [&] {
          put(field());
          put(":");
          expr();
        });
        break;
      case 3: closure(); break;
      case 4:
        put("fn");
        params();
        if (chance(30)) {
          put("->");
          type();
        }
        block();
        break;
    }
  }
  void closure() {
    put("{");
    bool outer = in_brackets_;
    size_t count = pick(3);
    in_brackets_ = false;
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) put(",");
      param();
    }
    put("->");
    size_t statements = pick(3);
    for (size_t i = 0; i < statements; ++i) {
      statement();
      if (i + 1 < statements || chance(30)) newline();
    }
    put("}");
    in_brackets_ = outer;
  }
  void control() {
    switch (pick(10)) {
      case 0:
        put("if");
        expr();
        block();
        if (chance(60)) {
          put("else");
          block();
        }
        break;
      case 1:
        put("if");
        expr();
        block();
        put("else if");
        expr();
        block();
        break;
      case 2:
        put("match");
        expr();
        put("{");
        newline();
        arms();
        put("}");
        break;
      case 3:
        put("try");
        block();
        if (chance(50)) {
          put("catch (e)");
          block();
        }
        break;
      case 4:
        put("parallel each");
        expr();
        put("{ x ->");
        newline();
        statement();
        newline();
        put("}");
        break;
      case 5:
        put("spawn");
        block();
        break;
      case 6:
        put("retry");
        expr();
        block();
        break;
      case 7:
        put("select {");
        newline();
        put("m from");
        expr();
        block();
        newline();
        put("default");
        block();
        put("}");
        break;
      case 8:
        put("ask_user");
        args();
        break;
      case 9:
        put("cost_route {");
        out_ += "\n";
        put("budget: 1");
        out_ += "\n";
        statement();
        newline();
        put("}");
        break;
    }
  }
  void arms() {
    bool outer = in_brackets_;
    in_brackets_ = false;
    size_t count = pick(3);
    for (size_t i = 0; i < count; ++i) {
      switch (pick(9)) {
        case 0: put("_"); break;
        case 1: put("1 | \"two\""); break;
        case 2: put("[a, 1, ...rest]"); break;
        case 3: put("Color.Red(x, _)"); break;
        case 4: put("Color.Blue"); break;
        case 5: put("Ok({kind: \"a\", n})"); break;
        case 6: put("{a: 1, \"b c\": [x], name, ...rest}"); break;
        default: expr(); break;
      }
      if (chance(20)) {
        put("if");
        expr();
      }
      put("->");
      if (chance(70)) block();
      else expr();
      newline();
    }
    in_brackets_ = outer;
  }

  void pattern() {
    switch (pick(4)) {
      case 0:
        list("{", "}", 3, [&] {
          put(name());
          if (chance(30)) {
            put(":");
            put(name());
          }
          if (chance(30)) {
            put("=");
            expr();
          }
        });
        break;
      case 1:
        list("[", "]", 3, [&] {
          put(name());
          if (chance(30)) {
            put("=");
            expr();
          }
        });
        break;
      default: put(name()); break;
    }
  }

  void statement() {
    ++depth_;
    switch (pick(18)) {
      case 0:
      case 1:
      case 2:
        put(chance(50) ? "let" : "var");
        pattern();
        if (chance(25)) {
          put(":");
          type();
        }
        put("=");
        expr();
        break;
      case 3:
        put("return");
        if (chance(70)) expr();
        break;
      case 4:
        put(name());
        tight(".x");
        put(chance(50) ? "=" : "+=");
        expr();
        break;
      case 5:
        put("for");
        pattern();
        put("in");
        expr();
        block();
        break;
      case 6:
        put("while");
        expr();
        block();
        break;
      case 7:
        put("throw");
        expr();
        break;
      case 8:
        put("guard");
        expr();
        put("else");
        block();
        break;
      case 9:
        put("defer");
        block();
        break;
      case 10:
        put("require");
        expr();
        if (chance(50)) {
          put(",");
          expr();
        }
        break;
      case 11: block(); break;
      case 12: control(); break;
      case 13:
        put("const");
        put(name());
        put("=");
        expr();
        break;
      case 14:
        if (depth_ < 5) declaration();
        else put("break");
        break;
      default: expr(); break;
    }
    --depth_;
  }

  void declaration() {
    if (chance(20)) {
      put("@attr(a: [b.c, call(\"x\")], {k: -1})");
      newline();
    }
    if (chance(20)) put("pub");
    switch (pick(9)) {
      case 0:
      case 1:
        put("fn");
        put(name());
        params();
        if (chance(40)) {
          put("->");
          type();
        }
        block();
        break;
      case 2:
        put("struct Point {");
        newline();
        put("x: int");
        newline();
        put("y?:");
        type();
        newline();
        put("}");
        break;
      case 3:
        put("enum Color { Red, Blue(");
        type();
        put(", n:");
        type();
        put(")");
        newline();
        put("Other }");
        break;
      case 4:
        put("impl Point {");
        newline();
        put("fn m(self)");
        block();
        newline();
        put("}");
        break;
      case 5:
        put("interface I<T> {");
        newline();
        put("type Item");
        newline();
        put("fn get(self) ->");
        type();
        newline();
        put("}");
        break;
      case 6:
        put("type A =");
        type();
        break;
      case 7:
        put("tool t");
        params();
        put("{");
        out_ += "\n";
        put("description \"d\"");
        newline();
        statement();
        newline();
        put("}");
        break;
      case 8:
        put("skill s {");
        newline();
        put("paths");
        expr();
        newline();
        put("}");
        break;
    }
  }

  void item() {
    switch (pick(6)) {
      case 0: declaration(); break;
      case 1:
        put("pipeline p");
        params();
        block();
        break;
      default: statement(); break;
    }
  }

  std::mt19937 random_;
  std::string out_;
  int depth_ = 0;
  bool in_brackets_ = false;
};

}  // namespace harn::test
