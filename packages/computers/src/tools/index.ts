export type { CallOutcome, ComputerTool, OutputChunk } from "../computer.ts";
export {
  assertFitsArgument,
  commandResult,
  killedExitCode,
  readCommand,
  timeoutExitCode,
} from "../sandbox/command-tool.ts";
export { defaultSandboxLimits } from "../sandbox/default-sandbox-limits.ts";
export { OutputKeeper } from "../sandbox/output-keeper.ts";
export { ArgumentError } from "./arguments.ts";
export { computerTools } from "./definitions.ts";
export { type ListedEntry, listResult, readFileResult, readListing, readWriting } from "./file-results.ts";
