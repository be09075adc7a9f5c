export type { RenderedFiles, RenderJob, RenderOptions, RenderPriority } from "./child/job.ts";
export { RenderError, type RenderFailure } from "./child/render-error.ts";
export { renderVideo } from "./child/render-video.ts";
export type { RunFacts } from "./run-facts.ts";
export type { Area } from "./scene/area.ts";
export type { Scene, SceneOptions } from "./scene/scene.ts";
export type { Theme } from "./theme/palettes.ts";
export type { TimelineEvent } from "./timeline-event.ts";
export type { Words } from "./words/words.ts";
