export {
  defaultTimings,
  type RecorderConfig,
  type RecorderProcessConfig,
  readConcurrency,
  readPriority,
  readRecorderConfig,
  readTheme,
  type Timings,
} from "./config.ts";
export type { RecorderOverrides } from "./context.ts";
export type { Rendered, Renderer } from "./renderer.ts";
export { createRecorderService, type RecorderService } from "./service.ts";
