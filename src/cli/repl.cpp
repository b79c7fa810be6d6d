#include "cli/commands.h"
namespace harn::cli { constinit const Command kRepl = {.name="repl",.summary="t"}; }
