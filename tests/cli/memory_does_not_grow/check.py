# Each program makes the same cycle of closures, or the same struct type, over and over. Its memory must not grow with
# the number of times: each of these once needed more than 120 MB.
import os

TIMES = {"self": 1_600_000, "mutual": 1_600_000, "big": 80_000, "in_list": 800_000, "in_struct": 800_000,
         "in_dict": 800_000, "generator": 400_000, "task": 8_000_000,
         "struct_type_for_tasks": 400_000, "struct_type_in_function": 400_000,
         "struct_with_methods_in_function": 200_000, "enum_in_function": 800_000,
         "in_message": 10_000, "in_result": 10_000, "in_snapshot": 5_000}
LIMIT_MB = 60


def run(*words):
    child = os.fork()
    if child == 0:
        os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
        os.execv(os.environ["HARN"], ["harn", "run", *words])
    _, status, usage = os.wait4(child, 0)
    return status, usage.ru_maxrss >> 10


# Sanitizers keep what was freed for a while.
_, least = run("-e", "nil")
for name, times in TIMES.items():
    status, held = (0, 0) if least > LIMIT_MB / 2 else run(f"{name}.harn", str(times))
    print(name, "ok" if status == 0 and held < LIMIT_MB else f"status {status}, {held} MB")
