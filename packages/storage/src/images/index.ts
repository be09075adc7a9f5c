export { createImageScaler, ImageProblem, type ImageScaler, maxPixels } from "./image-scaler.ts";
export type { Picture } from "./scale-image.ts";
