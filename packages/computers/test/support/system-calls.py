# Makes system calls by their numbers: [name, number, error, arguments...] in a JSON list on standard input. Prints the names of
# those that did not fail with the expected error.
import ctypes, json, os, sys

libc = ctypes.CDLL(None, use_errno=True)
for name, number, error, *arguments in json.load(sys.stdin):
    # In a child: some would end the process, others give it another memory.
    child = os.fork()
    if child == 0:
        result = libc.syscall(number, *[ctypes.c_long(value) for value in (arguments + [0] * 6)[:6]])
        os._exit(0 if result == -1 and ctypes.get_errno() == error else 1)
    if os.waitpid(child, 0)[1] != 0:
        print(name)
print("tried")
