#include <unistd.h>

#include "cli/commands.h"
#include "lsp/server.h"

namespace harn::cli {

static int serve_editor(const Arguments&) { return lsp::Server(STDIN_FILENO, STDOUT_FILENO).run(); }

constinit const Command kLsp = {
    .name = "lsp",
    .summary = "Answer an editor (language server protocol, standard input and output)",
    .notes = R"(Editors start this themselves. docs/editors.md says how to set them up.)",
    .run = serve_editor,
};

}  // namespace harn::cli
