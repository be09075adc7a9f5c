import { defaultVolumeLimits, type VolumeLimits } from "../files/limits.ts";

const mib = 1024 * 1024;

/** Bounds of the resources of sandboxes. */
export interface SandboxLimits extends VolumeLimits {
  /** Commands that run at once in this process, over all projects; the others take turns. */
  maxCommands: number;
  /** Resident memory of a command's process; on Linux only, elsewhere its heap is bounded. */
  maxMemoryBytes: number;
  /** The output that a command may print before it is stopped. */
  maxPrintedBytes: number;
  /** The part of that which is kept: the beginning and the end. */
  maxOutputBytes: number;
  /** The part of each stream that the model sees: the beginning and the end. */
  maxResultBytes: number;
  /** Entries of a directory that are listed for the model. */
  maxListed: number;
}

export const defaultSandboxLimits: SandboxLimits = {
  ...defaultVolumeLimits,
  maxCommands: 4,
  maxMemoryBytes: 1_024 * mib,
  maxPrintedBytes: 64 * mib,
  maxOutputBytes: mib,
  maxResultBytes: 64 * 1024,
  maxListed: 1_000,
};
