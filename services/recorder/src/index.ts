export type { RecorderOverrides } from "./context.ts";
export type { Rendered, Renderer } from "./renderer.ts";
export { createRecorderService, type RecorderService } from "./service.ts";
