import type { RenderedFiles, RenderJob } from "@muster/video";

/** Paths of the three files, and the properties of the video. */
export type Rendered = Pick<RenderedFiles, "video" | "chapters" | "transcript" | "durationMs" | "sizeBytes">;

/**
 * Renders one recording in a process of its own, which ends before the promise settles, and at once if the signal aborts. The
 * output directory is empty.
 */
export type Renderer = (job: RenderJob, options: { signal: AbortSignal }) => Promise<Rendered>;
