; Later patterns win over earlier ones in the command line tool and in helix; neovim takes the last one, too.

(identifier) @variable
(property_identifier) @property
(type_identifier) @type

((type_identifier) @type.builtin
  (#match? @type.builtin "^(any|unknown|never|nil|bool|int|float|decimal|string|bytes|duration|list|dict|set|fn|iter|channel|task|stream|Result|Schema|owned)$"))

; ---- literals ----

(integer) @number
(float) @number
(duration) @number
(boolean) @constant.builtin
(nil) @constant.builtin
(string) @string
(multiline_string) @string
(raw_string) @string
(escape_sequence) @escape
(interpolation
  "${" @punctuation.special
  "}" @punctuation.special) @embedded
(line_comment) @comment
(block_comment) @comment
(shebang) @comment

; ---- names ----

((identifier) @constant
  (#match? @constant "^[A-Z][A-Z0-9_]+$"))
((identifier) @variable.builtin
  (#eq? @variable.builtin "self"))

(const_statement name: (identifier) @constant)
(parameter name: (identifier) @variable.parameter)
(function_declaration name: (identifier) @function)
(interface_method name: (identifier) @function)
(pipeline_declaration name: (identifier) @function)
(override_declaration name: (identifier) @function)
(tool_declaration name: (identifier) @function)
(skill_declaration name: (identifier) @constant)
(eval_pack_declaration name: (identifier) @constant)
(enum_variant name: (identifier) @constructor)
(variant_pattern name: (identifier) @constructor)
(call_expression function: (identifier) @function)
(call_expression function: (member_expression property: (property_identifier) @function.method))
(attribute "@" @attribute name: (identifier) @attribute)
(scoped_path (identifier) @module)

; ---- words ----

[
  "pub" "let" "var" "const" "fn" "gen" "pipeline" "extends" "override" "tool" "skill" "eval_pack" "type" "enum"
  "struct" "impl" "interface" "import" "from" "where" "out" "description"
  "if" "else" "for" "in" "while" "match" "return" "throw" "emit" "yield" "defer" "guard" "require"
  "try" "catch" "finally" "retry" "parallel" "each" "settle" "with" "max_concurrent" "as" "stream" "spawn" "deadline"
  "mutex" "select" "timeout" "default" "cost_route" "to" "exclusive" "not"
] @keyword
(break_statement) @keyword
(continue_statement) @keyword

((identifier) @function.builtin
  (#match? @function.builtin "^(ask_user|request_approval|dual_control|escalate_to)$"))

; ---- signs ----

[
  "=" "+=" "-=" "*=" "/=" "%=" "|>" "||" "&&" "==" "!=" "<=" ">=" "+" "-" "??" "*" "/" "%" "**" "!" "|" "&"
  "->" "..." "?" "?."
] @operator
(binary_expression operator: ["<" ">"] @operator)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "::" "."] @punctuation.delimiter
