export { checkRuntime, type RuntimeCheck, requireRuntime } from "./bubblewrap/check-runtime.ts";
export type {
  CallOutcome,
  Computer,
  ComputerCall,
  ComputerInfo,
  ComputerKind,
  ComputerOs,
  ComputerOwner,
  ComputerState,
  Computers,
  ComputerTool,
  ExecutedCall,
  FileEntry,
  OutputChunk,
} from "./computer.ts";
export { type ComputersOptions, createComputers } from "./create-computers.ts";
export {
  ComputerElsewhereError,
  ComputerFileError,
  ComputerUnreachableError,
  StaleEpochError,
} from "./errors.ts";
export { filesDirectory } from "./files/layout.ts";
export { homeDirectory } from "./files/limits.ts";
export {
  computerIdOf,
  type MachineDocument,
  type MachineKey,
  machineState,
} from "./machines/machine-document.ts";
export { machineIndexes, type NewMachine } from "./machines/machine-store.ts";
export { keyOfMachine, type Machines } from "./machines/machines.ts";
export { defaultSandboxLimits, type SandboxLimits } from "./sandbox/default-sandbox-limits.ts";
