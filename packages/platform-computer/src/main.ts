import { runMusterComputer } from "./run-muster-computer.ts";

process.exitCode = await runMusterComputer(process.argv.slice(2));
// An open terminal would keep the process alive.
process.stdin.destroy();
