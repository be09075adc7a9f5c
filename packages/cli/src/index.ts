export { type ExitCode, exitCodes } from "./exit.ts";
export { type Io, processIo } from "./process-io.ts";
export { createProgram } from "./program.ts";
export { run, runCommand } from "./run.ts";
