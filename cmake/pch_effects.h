// What nearly every file from effects upwards uses besides: values, tasks and the gate.
#include "pch.h"

#include "base/fmt.h"
#include "base/result.h"
#include "effects/perform.h"
#include "vm/scheduler.h"
#include "vm/vm.h"
