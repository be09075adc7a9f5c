import type { RunFacts, Theme } from "@muster/video";

/** What to render, and where. */
export interface RenderJob {
  facts: RunFacts;
  /** One event as JSON per line: `{ atMs, type, json }`. */
  timelineFile: string;
  /** An empty folder for the files. */
  outputDirectory: string;
  theme: Theme;
}

/** Paths of the files, and what the video is like. */
export interface RenderedFiles {
  video: string;
  chapters: string;
  transcript: string;
  durationMs: number;
  sizeBytes: number;
}

/** Renders one recording in a process of its own, which ends before the promise settles, at once if the signal aborts. */
export type Renderer = (job: RenderJob, options: { signal: AbortSignal }) => Promise<RenderedFiles>;
