// The grammar of Harn for editors. It accepts what the parser in src/syntax accepts; the stage `grammar` of the tests
// compares the two on every program of the repository.
//
// Words, strings and everything that depends on line ends or needs to look ahead comes from src/scanner.c.

const PREC = {
  pipe: 1,
  range: 2,
  ternary: 3,
  or: 4,
  and: 5,
  equality: 6,
  comparison: 7,
  additive: 8,
  coalesce: 9,
  multiplicative: 10,
  unary: 11,
  power: 12,
  postfix: 13,
};

const sep1 = (rule, separator) => seq(rule, repeat(seq(separator, rule)));
// What may name a field, an argument or a key: reserved words, too.
const word = ($, node) => choice(alias($.identifier, node), alias($._upper, node), alias($._keyword_name, node));
const key = $ => choice(
  alias($.identifier, $.property_identifier),
  alias($._upper, $.property_identifier),
  alias($._keyword_key, $.property_identifier),
);
const commas = rule => optional(seq(sep1(rule, ','), optional(',')));

module.exports = grammar({
  name: 'harn',

  // The order is that of `enum TokenType` in src/scanner.c.
  externals: $ => [
    $._newline,
    $.identifier,
    $._upper,
    $._keyword_name,
    $._keyword_key,
    $._keyword_symbol,
    $._call_open,
    $._index_open,
    $._type_args_open,
    $._literal_args_open,
    $._ternary_question,
    $._ternary_colon,
    $._unwrap,
    $.block_comment,
    $.raw_string,
    $._string_content,
    $._multiline_content,
    'gen',
    'each',
    'settle',
    'with',
    'as',
    'stream',
    'timeout',
    'default',
    'description',
    'where',
    'out',
    'not',
    'cost_route',
    'max_concurrent',
    $._error,
  ],

  extras: $ => [/[ \t\r\n]/, /\\\r?\n/, $.line_comment, $.block_comment],

  supertypes: $ => [$._expression, $._statement, $._type],

  inline: $ => [$._name, $._separator, $._field_separator, $._declared_type],

  conflicts: $ => [
    // `{ x` begins a block, a closure or a dict.
    [$.parameter, $._expression],
    // `{ x: y` begins a closure whose parameter has a type, or a dict.
    [$.parameter, $.named_type],
    [$.parameter, $.named_type, $._expression],
    [$.parameter, $.shape_field],
    [$.parameters, $.function_type],
    [$.named_type, $._expression],
    [$.named_type, $.nil],
    [$.literal_type, $._expression],
    [$.literal_type, $._string],
    [$.literal_type, $._literal],
    [$.literal_type, $.negative_number],
    [$.shape_type, $.dict],
    // `Name {` is a literal, or a condition before its block.
    [$.struct_literal, $._expression],
    // Patterns look like the values they stand for.
    [$.list, $._pattern],
    [$.list_pattern, $.list],
    [$.pair, $._pattern],
    [$.dict_pattern, $.dict],
    [$.shape_type, $.dict, $.dict_pattern],
    [$.pattern_pair, $.parameter],
    [$.rest_pattern, $._expression],
    [$.rest_pattern, $.parameter, $._expression],
    [$.named_type, $._expression, $.rest_pattern],
    [$.parameter, $.named_type, $._expression, $.rest_pattern],
    [$.variant_pattern, $._expression],
    [$.variant_pattern, $._callee],
  ],

  rules: {
    source_file: $ => seq(optional($.shebang), optional($._statements)),

    shebang: _ => /#![^\n]*/,
    line_comment: _ => token(/\/\/[^\n]*/),

    _statements: $ => seq(sep1($._statement, $._separator), optional($._separator)),
    _separator: $ => choice($._newline, ';'),

    block: $ => seq('{', optional($._statements), '}'),
    // Where a statement may stand, `{}` is a dict.
    block_statement: $ => seq('{', $._statements, '}'),

    // ---- names ----

    _name: $ => choice($.identifier, alias($._upper, $.identifier)),
    _declared_type: $ => choice(alias($.identifier, $.type_identifier), alias($._upper, $.type_identifier)),

    // ---- statements ----

    _statement: $ => choice(
      $.let_statement,
      $.const_statement,
      $.for_statement,
      $.while_statement,
      $.return_statement,
      $.throw_statement,
      $.emit_statement,
      $.yield_statement,
      $.break_statement,
      $.continue_statement,
      $.defer_statement,
      $.guard_statement,
      $.require_statement,
      $.assignment,
      $.import_declaration,
      $.function_declaration,
      $.pipeline_declaration,
      $.override_declaration,
      $.tool_declaration,
      $.skill_declaration,
      $.eval_pack_declaration,
      $.type_declaration,
      $.enum_declaration,
      $.struct_declaration,
      $.impl_declaration,
      $.interface_declaration,
      alias($.block_statement, $.block),
      $._expression,
    ),

    let_statement: $ => seq(
      optional('pub'),
      field('kind', choice('let', 'var')),
      field('pattern', $._binding),
      optional(seq(':', field('type', $._type))),
      '=',
      field('value', $._expression),
    ),

    const_statement: $ => seq(
      optional('pub'),
      'const',
      field('name', $._name),
      optional(seq(':', field('type', $._type))),
      '=',
      field('value', $._expression),
    ),

    for_statement: $ => seq(
      'for',
      field('pattern', choice($._binding, $.pair_binding)),
      'in',
      field('iterable', $._expression),
      field('body', $.block),
    ),

    while_statement: $ => seq('while', field('condition', $._expression), field('body', $.block)),
    return_statement: $ => prec.right(seq('return', optional($._expression))),
    throw_statement: $ => seq('throw', $._expression),
    emit_statement: $ => seq('emit', $._expression),
    yield_statement: $ => prec.right(seq('yield', optional($._expression))),
    break_statement: _ => 'break',
    continue_statement: _ => 'continue',
    defer_statement: $ => seq('defer', field('body', $.block)),
    guard_statement: $ => seq('guard', field('condition', $._expression), 'else', field('body', $.block)),
    require_statement: $ => prec.right(seq(
      'require',
      field('condition', $._expression),
      optional(seq(',', field('message', $._expression))),
    )),

    assignment: $ => seq(
      field('target', choice($._name, alias($._human, $.identifier), $.member_expression, $.index_expression)),
      field('operator', choice('=', '+=', '-=', '*=', '/=', '%=')),
      field('value', $._expression),
    ),

    // ---- bindings ----

    _binding: $ => choice($._name, $.dict_binding, $.list_binding),
    dict_binding: $ => seq('{', commas(choice($.binding_field, $.rest_binding)), '}'),
    binding_field: $ => seq(
      choice(
        field('name', $._name),
        seq(field('key', choice(key($), $.string, $.raw_string)), ':', field('name', $._name)),
      ),
      optional(seq('=', field('default', $._expression))),
    ),
    list_binding: $ => seq('[', commas(choice($.binding_item, $.rest_binding)), ']'),
    binding_item: $ => seq(field('name', $._name), optional(seq('=', field('default', $._expression)))),
    rest_binding: $ => seq('...', field('name', $._name)),
    pair_binding: $ => seq('(', field('name', $._name), ',', field('name', $._name), optional(','), ')'),

    // ---- declarations ----

    import_declaration: $ => seq(
      optional('pub'),
      'import',
      choice(
        field('path', choice($.string, $.raw_string)),
        seq(field('names', $.import_names), 'from', field('path', choice($.string, $.raw_string))),
        seq(field('path', $.scoped_path), field('names', $.import_names)),
      ),
    ),
    import_names: $ => seq('{', commas(field('name', $._name)), '}'),
    scoped_path: $ => seq($._name, '::', repeat(seq(word($, $.identifier), '::'))),

    _modifiers: $ => repeat1($.attribute),

    function_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      $._signature,
      field('body', $.block),
    ),
    _signature: $ => seq(
      optional('gen'),
      'fn',
      field('name', $._name),
      optional(field('type_parameters', $.type_parameters)),
      field('parameters', $.parameters),
      optional(seq('->', field('return_type', $._type))),
      optional($.where_clause),
    ),
    where_clause: $ => prec.right(seq('where', sep1($.type_bound, ','))),
    type_bound: $ => seq(field('name', $._declared_type), ':', field('interface', $._declared_type)),

    type_parameters: $ => seq('<', sep1($.type_parameter, ','), optional(','), '>'),
    type_parameter: $ => seq(optional(choice('in', 'out')), field('name', $._declared_type)),

    parameters: $ => seq('(', commas($.parameter), ')'),
    parameter: $ => seq(
      optional('...'),
      field('name', $._name),
      optional(seq(':', field('type', $._type))),
      optional(seq('=', field('default', $._expression))),
    ),

    pipeline_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'pipeline',
      field('name', $._name),
      field('parameters', $.parameters),
      optional(seq('->', field('return_type', $._type))),
      optional(seq('extends', field('base', $._name))),
      field('body', $.block),
    ),

    override_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'override',
      field('name', $._name),
      field('parameters', $.parameters),
      field('body', $.block),
    ),

    tool_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'tool',
      field('name', $._name),
      field('parameters', $.parameters),
      optional(seq('->', field('return_type', $._type))),
      field('body', alias($.tool_body, $.block)),
    ),
    tool_body: $ => seq(
      '{',
      optional(seq($.tool_description, optional($._separator))),
      optional($._statements),
      '}',
    ),
    tool_description: $ => seq('description', $._string),

    skill_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'skill',
      field('name', $._name),
      field('body', $.skill_body),
    ),
    skill_body: $ => seq('{', repeat(choice(',', ';')), repeat(seq($.skill_field, optional($._field_end))), '}'),
    skill_field: $ => seq(field('name', word($, $.property_identifier)), field('value', $._expression)),
    _field_separator: $ => choice(',', ';', $._newline),
    // A line end is a token without characters: it must not be repeated.
    _field_end: $ => choice($._newline, repeat1(choice(',', ';'))),

    eval_pack_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'eval_pack',
      choice(
        seq(field('name', $._name), optional(field('id', choice($.string, $.raw_string)))),
        field('id', choice($.string, $.raw_string)),
      ),
      field('body', $.eval_pack_body),
    ),
    eval_pack_body: $ => seq('{', repeat(choice(',', ';')), repeat(seq($.eval_pack_field, optional($._field_end))), '}'),
    eval_pack_field: $ => seq(field('name', word($, $.property_identifier)), ':', field('value', $._expression)),

    type_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'type',
      field('name', $._declared_type),
      optional(field('type_parameters', $.type_parameters)),
      '=',
      optional('|'),
      field('type', $._type),
    ),

    enum_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'enum',
      field('name', $._declared_type),
      optional(field('type_parameters', $.type_parameters)),
      field('body', $.enum_body),
    ),
    enum_body: $ => seq('{', optional(seq(sep1($.enum_variant, $._field_separator), optional($._field_separator))), '}'),
    enum_variant: $ => seq(
      field('name', $._name),
      optional(seq(alias($._call_open, '('), commas($.variant_field), ')')),
    ),
    variant_field: $ => seq(
      optional(seq(field('name', key($)), ':')),
      field('type', $._type),
      optional(seq('=', field('default', $._expression))),
    ),

    struct_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'struct',
      field('name', $._declared_type),
      optional(field('type_parameters', $.type_parameters)),
      field('body', $.struct_body),
    ),
    struct_body: $ => seq('{', optional(seq(sep1($.struct_field, $._field_separator), optional($._field_separator))), '}'),
    struct_field: $ => seq(
      field('name', word($, $.property_identifier)),
      optional('?'),
      ':',
      field('type', $._type),
    ),

    impl_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'impl',
      field('name', $._declared_type),
      field('body', $.impl_body),
    ),
    impl_body: $ => seq('{', repeat(choice($.function_declaration, ';')), '}'),

    interface_declaration: $ => seq(
      optional($._modifiers),
      optional('pub'),
      'interface',
      field('name', $._declared_type),
      optional(field('type_parameters', $.type_parameters)),
      field('body', $.interface_body),
    ),
    interface_body: $ => seq(
      '{',
      repeat(choice($.associated_type, $.interface_method, ';', ',')),
      '}',
    ),
    associated_type: $ => seq('type', field('name', $._declared_type), optional(seq('=', field('default', $._type)))),
    interface_method: $ => seq($._signature, optional(field('body', $.block))),

    // ---- attributes ----

    attribute: $ => seq(
      '@',
      field('name', word($, $.identifier)),
      optional(seq(alias($._call_open, '('), commas($.attribute_argument), ')')),
    ),
    attribute_argument: $ => seq(
      optional(seq(field('name', key($)), ':')),
      field('value', $._attribute_value),
    ),
    _attribute_value: $ => choice(
      $.string,
      $.multiline_string,
      $.raw_string,
      $.attribute_number,
      $.boolean,
      $.nil,
      $.attribute_symbol,
      $.attribute_list,
      $.attribute_dict,
    ),
    attribute_number: $ => seq(optional('-'), choice($.integer, $.float)),
    attribute_symbol: $ => seq(
      alias(choice($.identifier, $._upper, $._keyword_symbol), $.identifier),
      repeat(seq('.', word($, $.property_identifier))),
      optional(seq(choice('(', alias($._call_open, '(')), commas($._attribute_value), ')')),
    ),
    attribute_list: $ => seq('[', commas($._attribute_value), ']'),
    attribute_dict: $ => seq('{', commas($.attribute_pair), '}'),
    attribute_pair: $ => seq(
      field('key', choice(key($), $.string, $.raw_string)),
      ':',
      field('value', $._attribute_value),
    ),

    // ---- types ----

    _type: $ => choice(
      $.named_type,
      $.literal_type,
      $.list_type,
      $.parenthesized_type,
      $.shape_type,
      $.function_type,
      $.optional_type,
      $.intersection_type,
      $.union_type,
    ),
    named_type: $ => seq(
      field('name', choice($._declared_type, alias('nil', $.type_identifier))),
      optional(field('arguments', $.type_arguments)),
    ),
    type_arguments: $ => seq('<', sep1($._type, ','), optional(','), '>'),
    literal_type: $ => choice($.string, $.raw_string, $.boolean, seq(optional('-'), $.integer)),
    list_type: $ => seq('[', $._type, ']'),
    parenthesized_type: $ => seq('(', $._type, ')'),
    shape_type: $ => seq('{', commas(choice($.shape_field, $.row_tail)), '}'),
    shape_field: $ => seq(
      field('name', choice(key($), $.string, $.raw_string)),
      optional('?'),
      ':',
      field('type', $._type),
    ),
    row_tail: $ => seq('...', $._type),
    function_type: $ => prec.right(seq('fn', '(', commas($._type), ')', '->', field('result', $._type))),
    optional_type: $ => prec(3, seq($._type, '?')),
    intersection_type: $ => prec.left(2, seq($._type, '&', $._type)),
    union_type: $ => prec.left(1, seq($._type, '|', $._type)),

    // ---- expressions ----

    _expression: $ => choice(
      $._name,
      alias($._human, $.identifier),
      $.integer,
      $.float,
      $.duration,
      $._string,
      $.boolean,
      $.nil,
      $.parenthesized_expression,
      $.list,
      $.dict,
      $.struct_literal,
      $.closure,
      $.function_expression,
      $.call_expression,
      $.member_expression,
      $.index_expression,
      $.slice_expression,
      $.unwrap_expression,
      $.unary_expression,
      $.binary_expression,
      $.ternary_expression,
      $.range_expression,
      $.pipe_expression,
      $.if_expression,
      $.match_expression,
      $.try_expression,
      $.retry_expression,
      $.parallel_expression,
      $.spawn_expression,
      $.deadline_expression,
      $.mutex_expression,
      $.select_expression,
      $.cost_route_expression,
    ),

    // Reserved words that are called like functions.
    _human: _ => choice('ask_user', 'request_approval', 'dual_control', 'escalate_to'),

    integer: _ => /[0-9]+/,
    float: _ => /[0-9]+\.[0-9]+/,
    duration: _ => token(prec(1, /[0-9]+(ms|s|m|h|d|w)/)),
    boolean: _ => choice('true', 'false'),
    nil: _ => 'nil',

    _string: $ => choice($.string, $.multiline_string, $.raw_string),
    string: $ => seq(
      '"',
      repeat(choice(alias($._string_content, $.string_content), $.escape_sequence, $.interpolation)),
      token.immediate('"'),
    ),
    multiline_string: $ => seq(
      '"""',
      repeat(choice(alias($._multiline_content, $.string_content), $.escape_sequence, $.interpolation)),
      token.immediate('"""'),
    ),
    escape_sequence: _ => token.immediate(/\\[^\n]?/),
    interpolation: $ => seq(token.immediate('${'), $._expression, '}'),

    parenthesized_expression: $ => seq('(', $._expression, ')'),

    list: $ => seq('[', commas(choice($._expression, $.spread)), ']'),
    spread: $ => seq('...', $._expression),

    dict: $ => seq('{', commas(choice($.pair, $.spread)), '}'),
    pair: $ => seq(
      field('key', choice(
        key($),
        $.string,
        $.raw_string,
        $.computed_key,
      )),
      ':',
      field('value', $._expression),
    ),
    computed_key: $ => seq('[', $._expression, ']'),

    struct_literal: $ => prec.dynamic(-1, seq(
      field('name', alias($._upper, $.type_identifier)),
      optional(field('type_arguments', alias($.literal_arguments, $.type_arguments))),
      field('fields', alias($.dict, $.struct_fields)),
    )),
    literal_arguments: $ => seq(alias($._literal_args_open, '<'), sep1($._type, ','), optional(','), '>'),

    closure: $ => seq('{', commas($.parameter), '->', optional($._statements), '}'),

    function_expression: $ => seq(
      'fn',
      field('parameters', $.parameters),
      optional(seq('->', field('return_type', $._type))),
      field('body', $.block),
    ),

    // What ends in a block is not called and not indexed: a bracket behind it is something new.
    _callee: $ => choice(
      $._name,
      alias(choice($._human, 'select'), $.identifier),
      $.integer,
      $.float,
      $.duration,
      $._string,
      $.boolean,
      $.nil,
      $.parenthesized_expression,
      $.list,
      $.dict,
      $.struct_literal,
      $.closure,
      $.function_expression,
      $.call_expression,
      $.member_expression,
      $.index_expression,
      $.slice_expression,
      $.unwrap_expression,
    ),

    call_expression: $ => prec(PREC.postfix, seq(
      choice(
        field('function', $._callee),
        seq(
          field('function', choice($._name, alias($._human, $.identifier))),
          field('type_arguments', alias($.call_type_arguments, $.type_arguments)),
        ),
      ),
      field('arguments', $.arguments),
    )),
    call_type_arguments: $ => seq(alias($._type_args_open, '<'), sep1($._type, ','), optional(','), '>'),
    arguments: $ => seq(alias($._call_open, '('), commas(choice($._expression, $.spread, $.named_argument)), ')'),
    named_argument: $ => seq(
      field('name', key($)),
      ':',
      field('value', $._expression),
    ),

    member_expression: $ => prec(PREC.postfix, seq(
      field('object', $._expression),
      choice('.', '?.'),
      field('property', word($, $.property_identifier)),
    )),

    index_expression: $ => prec(PREC.postfix, seq(
      field('object', $._callee),
      alias($._index_open, '['),
      field('index', $._expression),
      ']',
    )),

    slice_expression: $ => prec(PREC.postfix, seq(
      field('object', $._callee),
      alias($._index_open, '['),
      optional(field('start', $._expression)),
      ':',
      optional(field('end', $._expression)),
      ']',
    )),

    unwrap_expression: $ => prec(PREC.postfix, seq(field('operand', $._expression), alias($._unwrap, '?'))),

    unary_expression: $ => prec(PREC.unary, seq(
      field('operator', choice('!', '-', seq('try', '*'))),
      field('operand', $._expression),
    )),

    binary_expression: $ => {
      const rows = [
        [PREC.or, '||'],
        [PREC.and, '&&'],
        [PREC.equality, choice('==', '!=')],
        [PREC.comparison, choice('<', '>', '<=', '>=', 'in', seq('not', 'in'))],
        [PREC.additive, choice('+', '-')],
        [PREC.coalesce, '??'],
        [PREC.multiplicative, choice('*', '/', '%')],
      ];
      return choice(
        ...rows.map(([precedence, operator]) => prec.left(precedence, seq(
          field('left', $._expression),
          field('operator', operator),
          field('right', $._expression),
        ))),
        prec.right(PREC.power, seq(field('left', $._expression), field('operator', '**'), field('right', $._expression))),
      );
    },

    ternary_expression: $ => prec.right(PREC.ternary, seq(
      field('condition', $._expression),
      alias($._ternary_question, '?'),
      field('consequence', $._expression),
      alias($._ternary_colon, ':'),
      field('alternative', $._expression),
    )),

    range_expression: $ => prec.right(PREC.range, seq(
      field('start', $._expression),
      'to',
      field('end', $._expression),
      optional('exclusive'),
    )),

    pipe_expression: $ => prec.left(PREC.pipe, seq(field('left', $._expression), '|>', field('right', $._expression))),

    if_expression: $ => prec.right(seq(
      'if',
      field('condition', $._expression),
      field('consequence', $.block),
      optional(seq('else', field('alternative', choice($.block, $.if_expression)))),
    )),

    match_expression: $ => seq('match', field('subject', $._expression), field('body', $.match_body)),
    match_body: $ => seq('{', repeat($.match_arm), '}'),
    match_arm: $ => prec.right(seq(
      field('pattern', $._match_pattern),
      optional(seq('if', field('guard', $._expression))),
      '->',
      field('body', $._statement),
      choice(optional($._newline), repeat1(choice(',', ';'))),
    )),
    _match_pattern: $ => choice($._pattern, $.or_pattern),
    or_pattern: $ => seq($._literal, repeat1(seq('|', $._literal))),
    _literal: $ => choice($.integer, $.float, $.duration, $._string, $.boolean, $.nil, $.negative_number),
    negative_number: $ => seq('-', choice($.integer, $.float)),
    _pattern: $ => choice($.list_pattern, $.dict_pattern, $.variant_pattern, $._expression),
    list_pattern: $ => prec.dynamic(1, seq('[', commas(choice($._match_pattern, $.rest_pattern)), ']')),
    dict_pattern: $ => prec.dynamic(1, seq('{', commas(choice($.pattern_pair, $.rest_pattern)), '}')),
    pattern_pair: $ => choice(
      field('key', $._name),
      seq(
        field('key', choice(key($), $.string, $.raw_string)),
        ':',
        field('pattern', $._match_pattern),
      ),
    ),
    rest_pattern: $ => seq('...', field('name', $._name)),
    variant_pattern: $ => prec.dynamic(1, seq(
      choice(
        field('name', alias($._upper, $.identifier)),
        seq(field('enum', alias($._upper, $.type_identifier)), '.', field('name', word($, $.identifier))),
      ),
      alias($._call_open, '('),
      commas($._match_pattern),
      ')',
    )),

    try_expression: $ => prec.right(seq(
      'try',
      field('body', $.block),
      optional($.catch_clause),
      optional($.finally_clause),
    )),
    catch_clause: $ => seq(
      'catch',
      optional(choice(
        seq('(', field('name', $._name), optional(seq(':', field('type', $._type))), ')'),
        field('name', $._name),
      )),
      field('body', $.block),
    ),
    finally_clause: $ => seq('finally', field('body', $.block)),

    retry_expression: $ => seq('retry', field('count', $._expression), field('body', $.block)),

    parallel_expression: $ => prec.right(seq(
      'parallel',
      optional(field('mode', choice('each', 'settle'))),
      field('source', $._expression),
      optional($.parallel_options),
      field('body', choice($.closure, $.block)),
      optional(seq('as', 'stream')),
    )),
    parallel_options: $ => seq('with', '{', commas(seq('max_concurrent', ':', $._expression)), '}'),

    spawn_expression: $ => seq('spawn', field('body', $.block)),
    deadline_expression: $ => seq('deadline', field('duration', $._expression), field('body', $.block)),
    mutex_expression: $ => seq('mutex', field('body', $.block)),

    select_expression: $ => seq('select', '{', repeat1($.select_case), '}'),
    select_case: $ => seq(
      choice(
        seq(field('name', $._name), 'from', field('channel', $._expression)),
        seq('timeout', field('timeout', $._expression)),
        'default',
      ),
      field('body', $.block),
      repeat(choice(',', ';')),
    ),

    cost_route_expression: $ => seq(
      'cost_route',
      '{',
      repeat(choice(',', ';')),
      repeat(seq(alias($.route_option, $.pair), optional($._field_end))),
      optional($._statements),
      '}',
    ),
    route_option: $ => seq(
      field('key', choice(key($), $.string)),
      ':',
      field('value', $._expression),
    ),
  },
});
