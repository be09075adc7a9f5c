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
export { type ComputersConfig, readComputersConfig } from "./config.ts";
export { ComputerFileError, ComputerUnreachableError, StaleEpochError } from "./errors.ts";
