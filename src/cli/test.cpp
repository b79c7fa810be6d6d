#include "cli/commands.h"
namespace harn::cli { constinit const Command kTest = {.name="test",.summary="t"}; }
