export { createSmallRenderer, type SmallRendererOptions } from "./small-renderer.ts";
