import type { RenderedFiles, RenderJob } from "./job.ts";
import type { RenderFailure } from "./render-error.ts";

/** The order that the parent sends, once. */
export interface Order {
  job: RenderJob;
}

/**
 * The child's reports: with its progress the processor time that it has had so far. The last message is one of the
 * others.
 */
export type Report =
  | { kind: "progress"; share: number; memoryBytes: number; cpuMs: number }
  | { kind: "done"; files: RenderedFiles }
  | { kind: "failed"; failure: RenderFailure; message: string };
