#include "lsp/server.h"

#include "base/fmt.h"
#include "data/json.h"
#include "lint/repairs.h"
#include "lsp/tokens.h"

namespace harn::lsp {

namespace {

constexpr int kMethodNotFound = -32601;
constexpr int kInvalidRequest = -32600;
constexpr int kParseError = -32700;

std::string capabilities() {
  JsonWriter json;
  json.object().key("capabilities").object();
  json.key("positionEncoding").text("utf-16");
  json.key("textDocumentSync").object().key("openClose").boolean(true).field("change", 2);
  json.key("save").object().key("includeText").boolean(false).end().end();
  for (const char* name :
       {"hoverProvider", "definitionProvider", "referencesProvider", "documentHighlightProvider",
        "documentSymbolProvider", "workspaceSymbolProvider", "documentFormattingProvider",
        "documentRangeFormattingProvider", "foldingRangeProvider", "inlayHintProvider", "callHierarchyProvider"}) {
    json.key(name).boolean(true);
  }
  json.key("completionProvider").object().key("triggerCharacters").list().text(".").end().end();
  json.key("signatureHelpProvider").object().key("triggerCharacters").list().text("(").text(",").end().end();
  json.key("renameProvider").object().key("prepareProvider").boolean(true).end();
  json.key("codeActionProvider").object().key("codeActionKinds").list();
  json.text("quickfix").text("source.fixAll").text("source.fixAll.harn").end().end();
  json.key("documentOnTypeFormattingProvider").object().field("firstTriggerCharacter", "}");
  json.key("moreTriggerCharacter").list().text(";").end().end();
  json.key("semanticTokensProvider").object().key("legend").object().key("tokenTypes").list();
  for (std::string_view type : token_types()) json.text(type);
  json.end().key("tokenModifiers").list().text("declaration").text("readonly").end().end();
  json.key("full").boolean(true).end();
  json.end().key("serverInfo").object().field("name", "harn").field("version", HARN_VERSION).end().end();
  return json.take();
}

}  // namespace

int Server::run() {
  std::string body;
  while (!exit_) {
    Pipe::Got got = pipe_.read(body, changed_.empty() ? Pipe::Wait::ForEver : Pipe::Wait::Moment);
    if (got == Pipe::Got::End) return is_shut_down_ ? 0 : 1;
    if (got == Pipe::Got::Nothing) publish();
    else handle(body);
  }
  return *exit_;
}

void Server::handle(const std::string& body) {
  auto respond = [&](const std::string& id, std::string_view key, std::string_view json) {
    pipe_.write(fmt::format(R"({{"jsonrpc":"2.0","id":{},"{}":{}}})", id, key, json));
  };
  auto fail = [&](const std::string& id, const Error& error) {
    JsonWriter json;
    json.object().field("code", error.code).field("message", error.message).end();
    respond(id, "error", json.take());
  };
  auto parsed = data::parse_json(body);
  if (!parsed || !parsed->is_dict()) return fail("null", {kParseError, "not a JSON-RPC message"});
  Part message(&*parsed);
  std::string method = message["method"].text();
  if (!message["id"].is_there()) return notify(method, message["params"]);
  if (method.empty()) return;  // an answer to something that was not asked
  std::string id = message["id"].json();
  if (is_shut_down_) return fail(id, {kInvalidRequest, "the server was shut down"});
  auto result = answer(method, message["params"]);
  if (result) respond(id, "result", *result);
  else fail(id, result.error());
}

void Server::notify(std::string_view method, const Part& params) {
  std::string uri = params["textDocument"]["uri"].text();
  if (method == "textDocument/didOpen") {
    workspace_.open(uri, params["textDocument"]["text"].text(), params["textDocument"]["version"].number().value_or(0));
  } else if (method == "textDocument/didChange") {
    Document* document = workspace_.find(uri);
    if (!document) return;
    std::string text = document->text;
    for (size_t i = 0; i < params["contentChanges"].size(); ++i) {
      Part change = params["contentChanges"][i];
      std::string inserted = change["text"].text();
      if (!change["range"].is_there()) {
        text = std::move(inserted);
        continue;
      }
      Positions positions(text);
      uint32_t start = offset_of(positions, change["range"]["start"]);
      uint32_t end = offset_of(positions, change["range"]["end"]);
      if (end < start) std::swap(start, end);
      text.replace(start, end - start, inserted);
    }
    workspace_.change(*document, std::move(text), params["textDocument"]["version"].number().value_or(0));
  } else if (method == "textDocument/didSave") {
    if (Document* document = workspace_.find(uri)) workspace_.save(*document);
  } else if (method == "textDocument/didClose") {
    workspace_.close(uri);
    JsonWriter json;
    json.object().field("jsonrpc", "2.0").field("method", "textDocument/publishDiagnostics");
    json.key("params").object().field("uri", uri).key("diagnostics").list().end().end().end();
    pipe_.write(json.take());
  } else if (method == "workspace/didChangeWatchedFiles") {
    for (size_t i = 0; i < params["changes"].size(); ++i) workspace_.reload(params["changes"][i]["uri"].text());
  } else if (method == "exit") {
    exit_ = is_shut_down_ ? 0 : 1;
    return;
  } else {
    return;
  }
  // What one module says may be wrong because of another.
  for (auto& [open, document] : workspace_.documents()) changed_.insert(open);
}

std::expected<std::string, Server::Error> Server::answer(std::string_view method, const Part& params) {
  struct Row {
    std::string_view method;
    std::string (Server::*answer)(const Part& params);
  };
  static constexpr Row kRows[] = {
      {"textDocument/hover", &Server::hover},
      {"textDocument/completion", &Server::completion},
      {"textDocument/signatureHelp", &Server::signature_help},
      {"textDocument/definition", &Server::definition},
      {"textDocument/references", &Server::references},
      {"textDocument/documentHighlight", &Server::highlights},
      {"textDocument/prepareRename", &Server::prepare_rename},
      {"textDocument/prepareCallHierarchy", &Server::prepare_calls},
      {"callHierarchy/incomingCalls", &Server::incoming_calls},
      {"callHierarchy/outgoingCalls", &Server::outgoing_calls},
      {"textDocument/documentSymbol", &Server::document_symbols},
      {"workspace/symbol", &Server::workspace_symbols},
      {"textDocument/foldingRange", &Server::folding},
      {"textDocument/semanticTokens/full", &Server::semantic_tokens},
      {"textDocument/inlayHint", &Server::inlay_hints},
      {"textDocument/codeAction", &Server::code_actions},
      {"textDocument/formatting", &Server::formatting},
      {"textDocument/rangeFormatting", &Server::range_formatting},
      {"textDocument/onTypeFormatting", &Server::on_type_formatting},
  };
  if (method == "initialize") {
    note_roots(params);
    return capabilities();
  }
  if (method == "shutdown") {
    is_shut_down_ = true;
    return "null";
  }
  if (method == "textDocument/rename") return rename(params);
  for (const Row& row : kRows) {
    if (row.method == method) return (this->*row.answer)(params);
  }
  return std::unexpected(Error{kMethodNotFound, fmt::format("the server does not know `{}`", method)});
}

void Server::note_roots(const Part& params) {
  std::vector<std::string> roots;
  for (size_t i = 0; i < params["workspaceFolders"].size(); ++i) {
    roots.push_back(path_of_uri(params["workspaceFolders"][i]["uri"].text()));
  }
  if (roots.empty()) roots.push_back(path_of_uri(params["rootUri"].text()));
  std::erase_if(roots, [](const std::string& root) { return !root.starts_with('/'); });
  workspace_.set_roots(std::move(roots));
}

std::optional<Server::Place> Server::place(const Part& params) {
  Place out;
  out.document = document(params);
  if (!out.document) return std::nullopt;
  out.index = workspace_.index().find(*out.document->module);
  if (!out.index) return std::nullopt;
  out.positions = &out.document->module->source->positions();
  out.offset = offset_of(*out.positions, params["position"]);
  return out;
}

// ---- diagnostics ----

void Server::publish() {
  std::set<std::string> due = std::exchange(changed_, {});
  for (const std::string& uri : due) {
    if (const Document* document = workspace_.find(uri)) publish_one(*document);
  }
}

// Shown paler than the rest.
static bool is_superfluous(diag::Code code) {
  switch (code) {
    case diag::Code::UnreachableCode:
    case diag::Code::UnusedVariable:
    case diag::Code::UnusedBinding:
    case diag::Code::UnusedParameter:
    case diag::Code::UnusedImport:
    case diag::Code::UnusedFunction:
    case diag::Code::UnusedType: return true;
    default: return false;
  }
}

void Server::publish_one(const Document& document) {
  constexpr int kSeverities[] = {1, 2, 3};
  constexpr int kHint = 4;
  JsonWriter json;
  json.object().field("jsonrpc", "2.0").field("method", "textDocument/publishDiagnostics").key("params").object();
  json.field("uri", document.uri).field("version", document.version).key("diagnostics").list();
  for (const diag::Diagnostic* one : workspace_.problems(document)) {
    json.object().key("range");
    write_range(json, one->source->positions(), one->span);
    // A question of layout is a hint.
    bool is_layout = lint::is_layout(one->code);
    json.field("severity", is_layout ? kHint : kSeverities[static_cast<size_t>(one->severity)]);
    json.field("code", diag::row(one->code).id);
    json.field("source", "harn");
    std::string message = one->message;
    for (const std::string& help : one->helps) message += "\n" + help;
    json.field("message", message);
    bool has_labels = false;
    for (const diag::Label& label : one->labels) {
      if (!label.source->path().starts_with('/')) continue;
      if (!has_labels) json.key("relatedInformation").list();
      has_labels = true;
      json.object().key("location").object().field("uri", uri_of_path(label.source->path())).key("range");
      write_range(json, label.source->positions(), label.span);
      json.end().field("message", label.text).end();
    }
    if (has_labels) json.end();
    if (is_superfluous(one->code)) json.key("tags").list().number(1).end();
    if (one->code == diag::Code::DeprecatedCall) json.key("tags").list().number(2).end();
    json.end();
  }
  json.end().end().end();
  pipe_.write(json.take());
}

// ---- numbers of the protocol ----

int symbol_kind(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::Variable:
    case Symbol::Kind::Parameter: return 13;
    case Symbol::Kind::Constant: return 14;
    case Symbol::Kind::Function:
    case Symbol::Kind::Pipeline:
    case Symbol::Kind::Tool: return 12;
    case Symbol::Kind::Method: return 6;
    case Symbol::Kind::Skill: return 19;
    case Symbol::Kind::Struct: return 23;
    case Symbol::Kind::Enum: return 10;
    case Symbol::Kind::Variant: return 22;
    case Symbol::Kind::Interface: return 11;
    case Symbol::Kind::Alias: return 5;
    case Symbol::Kind::Field: return 8;
  }
  return 13;
}

int completion_kind(Symbol::Kind kind) {
  switch (kind) {
    case Symbol::Kind::Variable:
    case Symbol::Kind::Parameter: return 6;
    case Symbol::Kind::Constant: return 21;
    case Symbol::Kind::Function:
    case Symbol::Kind::Pipeline:
    case Symbol::Kind::Tool: return 3;
    case Symbol::Kind::Method: return 2;
    case Symbol::Kind::Skill: return 9;
    case Symbol::Kind::Struct: return 22;
    case Symbol::Kind::Enum: return 13;
    case Symbol::Kind::Variant: return 20;
    case Symbol::Kind::Interface: return 8;
    case Symbol::Kind::Alias: return 7;
    case Symbol::Kind::Field: return 5;
  }
  return 6;
}

}  // namespace harn::lsp
