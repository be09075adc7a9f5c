import type { RunFacts } from "../run-facts.ts";
import type { Theme } from "../theme/palettes.ts";
import type { RenderFailure } from "./render-error.ts";

export interface RenderJob {
  facts: RunFacts;
  /** One `TimelineEvent` a line, as JSON. */
  timelineFile: string;
  /** Created if it is missing. Files of the same names are replaced. */
  outputDirectory: string;
  theme: Theme;
  /** Default: `low`. */
  priority?: RenderPriority;
}

/**
 * The limits of the process that renders. `low`: it gets only the processor time that nothing else wants, on a busy
 * machine next to none.
 */
export type RenderPriority = "low" | "normal";

/** Paths of the files, and the cost of the recording. */
export interface RenderedFiles {
  /** WebM with VP9, 1280x720. */
  video: string;
  /** WebVTT. */
  chapters: string;
  /** WebVTT. */
  transcript: string;
  durationMs: number;
  /** The size of the video. */
  sizeBytes: number;
  /** The processor time that rendering has taken. */
  cpuMs: number;
  peakMemoryBytes: number;
}

export interface RenderOptions {
  /** Kills the process that renders, and rejects with the signal's reason. */
  signal: AbortSignal;
  /** Called with the share of the timeline that is in the video, from 0 to 1. */
  onProgress?: (share: number) => void;
  /** Resident memory of the process that renders. More ends it. */
  memoryMb?: number;
  /** Processor time that the process may use. More ends it. Default: 60 minutes. */
  cpuMs?: number;
  /** Processor time that the process may use without progress. More ends it. Default: one minute. */
  stallMs?: number;
  /**
   * A process that has lacked the processor for longer than it has had it, and for this time besides, ends. Default: two minutes with
   * low priority, an hour with a normal one.
   */
  starveMs?: number;
  /** The processor time of a process; undefined where it is not known. Replaced by tests. */
  readCpuMs?: (pid: number) => Promise<number | undefined>;
}

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
