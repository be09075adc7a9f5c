import fc from "fast-check";
import { expect, test } from "vitest";
import { type Planes, toSquares, writeYuv } from "./yuv.ts";

const planesOf = (width: number, height: number): Planes => ({
  ...{ y: 0, u: width * height, v: width * height + (width * height) / 4 },
  ...{ yStride: width, uvStride: width / 2 },
});
const opaque = (red: number, green: number, blue: number) => (255 << 24) | (blue << 16) | (green << 8) | red;

/** BT.709 with limited range, as the standard writes it. */
function exact(red: number, green: number, blue: number) {
  const y = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return {
    y: 16 + (219 * y) / 255,
    u: 128 + (224 * (blue - y)) / 1.8556 / 255,
    v: 128 + (224 * (red - y)) / 1.5748 / 255,
  };
}

test("colours differ by at most one step from BT.709 with limited range", () => {
  const colour = fc.nat(255);
  fc.assert(
    fc.property(colour, colour, colour, (red, green, blue) => {
      const memory = new Uint8Array(6);
      const pixels = new Uint32Array(4).fill(opaque(red, green, blue));
      writeYuv(pixels, { x: 0, y: 0, width: 2, height: 2 }, memory, planesOf(2, 2));
      const [y = 0, , , , u = 0, v = 0] = memory;
      const wanted = exact(red, green, blue);
      expect(Math.abs(y - wanted.y)).toBeLessThanOrEqual(1);
      expect(Math.abs(u - wanted.u)).toBeLessThanOrEqual(1);
      expect(Math.abs(v - wanted.v)).toBeLessThanOrEqual(1);
    }),
  );
});

test("a square of four colours keeps each brightness, and the mean of the colours", () => {
  const memory = new Uint8Array(6);
  const colours = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ] as const;
  const pixels = Uint32Array.from(colours, ([red, green, blue]) => opaque(red, green, blue));
  writeYuv(pixels, { x: 0, y: 0, width: 2, height: 2 }, memory, planesOf(2, 2));
  colours.forEach(([red, green, blue], index) => {
    expect(Math.abs((memory[index] ?? 0) - exact(red, green, blue).y)).toBeLessThanOrEqual(1);
  });
  const mean = exact(127.5, 127.5, 127.5);
  expect(Math.abs((memory[4] ?? 0) - mean.u)).toBeLessThanOrEqual(1);
  expect(Math.abs((memory[5] ?? 0) - mean.v)).toBeLessThanOrEqual(1);
});

test("a picture written in areas equals one written at once", () => {
  const frame = { width: 16, height: 12 };
  const part = fc.record({
    x: fc.integer({ min: -3, max: 18 }),
    y: fc.integer({ min: -3, max: 14 }),
    width: fc.nat(20),
    height: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(0xffffff)), fc.array(part, { minLength: 1 }), (colours, parts) => {
      const picture = Uint32Array.from({ length: 192 }, () => colours.next().value ?? 0);
      const whole = new Uint8Array(288);
      writeYuv(picture, { x: 0, y: 0, ...frame }, whole, planesOf(16, 12));
      const pieced = whole.slice();
      for (const area of parts.map((one) => toSquares(one, frame))) {
        const rows = Array.from({ length: area.height }, (_, row) => (area.y + row) * frame.width + area.x);
        const pixels = rows.flatMap((start) => [...picture.subarray(start, start + area.width)]);
        writeYuv(Uint32Array.from(pixels), area, pieced, planesOf(16, 12));
      }
      expect(pieced).toEqual(whole);
    }),
  );
});

test("an area covers every pixel that it touches, and stays inside the frame", () => {
  const frame = { width: 1280, height: 720 };
  expect(toSquares({ x: 3, y: 5, width: 1, height: 1 }, frame)).toEqual({ x: 2, y: 4, width: 2, height: 2 });
  expect(toSquares({ x: 2.5, y: 0, width: 2, height: 2 }, frame)).toEqual({
    x: 2,
    y: 0,
    width: 4,
    height: 2,
  });
  expect(toSquares({ x: -5, y: 700, width: 9000, height: 900 }, frame)).toEqual({
    ...{ x: 0, y: 700, width: 1280, height: 20 },
  });
  expect(toSquares({ x: 2000, y: 0, width: 5, height: 5 }, frame).width).toBe(0);
});
