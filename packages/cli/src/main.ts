import { processIo } from "./io.ts";
import { run } from "./run.ts";

process.exitCode = await run(process.argv.slice(2), processIo());
// Nothing is read any more, and an open terminal or pipe would keep the process.
process.stdin.destroy();
