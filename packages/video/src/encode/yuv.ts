import type { Area } from "../scene/area.ts";

/** Three planes in one memory: brightness for each pixel, two colours for each square of four. */
export interface Planes {
  y: number;
  u: number;
  v: number;
  yStride: number;
  uvStride: number;
}

/** The smallest area around `area` that starts and ends between squares of four pixels, inside the frame. */
export function toSquares({ x, y, width, height }: Area, frame: { width: number; height: number }): Area {
  const left = Math.max(0, Math.floor(x)) & ~1;
  const top = Math.max(0, Math.floor(y)) & ~1;
  const right = Math.min(frame.width, (Math.ceil(x + width) + 1) & ~1);
  const bottom = Math.min(frame.height, (Math.ceil(y + height) + 1) & ~1);
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/**
 * Writes the pixels of an area of whole squares (opaque RGBA, row by row) into the planes, in the colours of BT.709 with
 * limited range. Integers with 16 binary places; 235 of 255 steps of brightness, 224 of colour.
 */
export function writeYuv(pixels: Uint32Array, area: Area, memory: Uint8Array, planes: Planes): void {
  const { width, height } = area;
  for (let row = 0; row < height; row += 2) {
    let upper = row * width;
    let lower = upper + width;
    let y0 = planes.y + (area.y + row) * planes.yStride + area.x;
    let y1 = y0 + planes.yStride;
    let u = planes.u + ((area.y + row) >> 1) * planes.uvStride + (area.x >> 1);
    let v = planes.v + ((area.y + row) >> 1) * planes.uvStride + (area.x >> 1);
    for (let column = 0; column < width; column += 2) {
      const a = pixels[upper++] ?? 0;
      const b = pixels[upper++] ?? 0;
      const c = pixels[lower++] ?? 0;
      const d = pixels[lower++] ?? 0;
      let red = a & 255;
      let green = (a >>> 8) & 255;
      let blue = (a >>> 16) & 255;
      const brightness = brightnessOf(a);
      memory[y0++] = brightness;
      if (a === b && a === c && a === d) {
        // Most squares have one colour.
        memory[y0++] = brightness;
        memory[y1++] = brightness;
        memory[y1++] = brightness;
        red *= 4;
        green *= 4;
        blue *= 4;
      } else {
        memory[y0++] = brightnessOf(b);
        memory[y1++] = brightnessOf(c);
        memory[y1++] = brightnessOf(d);
        red += (b & 255) + (c & 255) + (d & 255);
        green += ((b >>> 8) & 255) + ((c >>> 8) & 255) + ((d >>> 8) & 255);
        blue += ((b >>> 16) & 255) + ((c >>> 16) & 255) + ((d >>> 16) & 255);
      }
      memory[u++] = (28_784 * blue - 6_596 * red - 22_188 * green + 33_685_504) >> 18;
      memory[v++] = (28_784 * red - 26_145 * green - 2_639 * blue + 33_685_504) >> 18;
    }
  }
}

function brightnessOf(pixel: number): number {
  const red = pixel & 255;
  const green = (pixel >>> 8) & 255;
  const blue = (pixel >>> 16) & 255;
  return (11_966 * red + 40_254 * green + 4_064 * blue + 1_081_344) >> 16;
}
