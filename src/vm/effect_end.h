#pragma once

// The end of an effect that is recorded: its answer is kept now. From the end of `InsideEffect` (course.h) until here the
// running task is not disturbed, and what it does is not counted, since a replay reads what is written there.
namespace harn::vm {

void end_effect();

}  // namespace harn::vm
