export {
  defaultTimings,
  type RecorderConfig,
  type RecorderProcessConfig,
  readConcurrency,
  readRecorderConfig,
  readTheme,
  type Timings,
} from "./config.ts";
export type { RecorderOverrides } from "./context.ts";
export type { RenderedFiles, Renderer, RenderJob } from "./renderer.ts";
export { createRecorderService, type RecorderService } from "./service.ts";
