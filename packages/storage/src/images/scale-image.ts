import { type Canvas, createCanvas, type Image, loadImage } from "@napi-rs/canvas";
import { sizeOf } from "./size-of.ts";

export interface Picture {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
}

export interface ScaleRequest extends Picture {
  /** The limit of the longer side, in pixels. */
  maxDimension: number;
  /** An image with more is not decoded. */
  maxPixels: number;
}

/** `unchanged`: the image is small enough. `problem`: why it cannot be scaled, as the end of a sentence. */
export type Scaled = { picture: Picture } | { unchanged: true } | { problem: string };

/** Runs on another thread. Decoding takes four bytes for each pixel, whatever the size of the file. */
export async function scaleImage({
  bytes,
  mediaType,
  maxDimension,
  maxPixels,
}: ScaleRequest): Promise<Scaled> {
  const size = sizeOf(bytes, mediaType);
  if (size === undefined) return { problem: `is not a readable ${mediaType}` };
  const { width, height } = size;
  if (Math.max(width, height) <= maxDimension) return { unchanged: true };
  if (width * height > maxPixels) {
    return { problem: `has ${width} x ${height} pixels; the limit for scaling it down is ${maxPixels}` };
  }
  try {
    return { picture: await encoded(drawn(await loadImage(Buffer.from(bytes)), maxDimension), mediaType) };
  } catch {
    return { problem: `is not a readable ${mediaType}` };
  }
}

function drawn(image: Image, maxDimension: number): Canvas {
  const { width, height } = image;
  const factor = Math.min(1, maxDimension / Math.max(width, height));
  const [w, h] = [width, height].map((side) => Math.max(1, Math.round(side * factor)));
  const canvas = createCanvas(w ?? 1, h ?? 1);
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

async function encoded(canvas: Canvas, mediaType: string): Promise<Picture> {
  switch (mediaType) {
    case "image/jpeg":
      return { bytes: new Uint8Array(await canvas.encode("jpeg", 88)), mediaType };
    case "image/webp":
      return { bytes: new Uint8Array(await canvas.encode("webp", 88)), mediaType };
    default:
      return { bytes: new Uint8Array(await canvas.encode("png")), mediaType: "image/png" };
  }
}
