import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { type Canvas, createCanvas, loadImage } from "@napi-rs/canvas";
import fc from "fast-check";
import { describe, onTestFinished, test } from "vitest";
import { createImageScaler, ImageProblem } from "./image-scaler.ts";

const never = new AbortController().signal;

function scaler(options = {}) {
  const images = createImageScaler(options);
  onTestFinished(() => images.close());
  return images;
}

type Type = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

function encoded(canvas: Canvas, type: Type): Buffer {
  if (type === "image/png") return canvas.toBuffer(type);
  return type === "image/gif" ? canvas.toBuffer(type) : canvas.toBuffer(type);
}

/** Red on its left half, blue on its right. */
function picture(width: number, height: number, type: Type) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f00";
  context.fillRect(0, 0, width / 2, height);
  context.fillStyle = "#00f";
  context.fillRect(width / 2, 0, width / 2, height);
  return { bytes: new Uint8Array(encoded(canvas, type)), mediaType: type };
}

async function colourAt(bytes: Uint8Array, x: number, y: number) {
  const image = await loadImage(Buffer.from(bytes));
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const [red = 0, , blue = 0] = context.getImageData(x, y, 1, 1).data;
  return red > blue ? "red" : "blue";
}

/** The same JPEG with the EXIF orientation of a phone in upright position. */
function turned(jpeg: Uint8Array, orientation: number): Uint8Array<ArrayBuffer> {
  const tiff = Buffer.from("4d4d002a00000008000101120003000000010000000000000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const exif = Buffer.concat([Buffer.from("Exif\0\0"), tiff]);
  const header = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return new Uint8Array(Buffer.concat([jpeg.subarray(0, 2), header, exif, jpeg.subarray(2)]));
}

describe("scaling images down", () => {
  for (const type of ["image/png", "image/jpeg", "image/webp", "image/gif"] as const) {
    test(`${type}: neither side is longer than allowed, and the proportions stay`, async () => {
      const images = scaler();
      const scaled = await images.scale({ ...picture(400, 200, type), maxDimension: 100 }, "prj_1", never);
      const image = await loadImage(Buffer.from(scaled.bytes));
      assert.deepEqual([image.width, image.height], [100, 50]);
      assert.equal(scaled.mediaType, type === "image/gif" ? "image/png" : type);
      assert.deepEqual(
        [await colourAt(scaled.bytes, 10, 25), await colourAt(scaled.bytes, 90, 25)],
        ["red", "blue"],
      );
    });
  }

  test("an image that is small enough keeps its bytes", async () => {
    const request = { ...picture(100, 40, "image/png"), maxDimension: 100 };
    assert.equal((await scaler().scale(request, "prj_1", never)).bytes, request.bytes);
  });

  test("a very long image keeps at least one pixel of its other side", async () => {
    const scaled = await scaler().scale(
      { ...picture(4_000, 2, "image/png"), maxDimension: 10 },
      "prj_1",
      never,
    );
    const { width, height } = await loadImage(Buffer.from(scaled.bytes));
    assert.deepEqual([width, height], [10, 1]);
  });

  test("a photograph is upright, according to its EXIF data", async () => {
    const { bytes, mediaType } = picture(400, 200, "image/jpeg");
    const scaled = await scaler().scale(
      { bytes: turned(bytes, 6), mediaType, maxDimension: 100 },
      "prj_1",
      never,
    );
    const { width, height } = await loadImage(Buffer.from(scaled.bytes));
    assert.deepEqual([width, height], [50, 100]);
    assert.deepEqual(
      [await colourAt(scaled.bytes, 25, 10), await colourAt(scaled.bytes, 25, 90)],
      ["red", "blue"],
    );
  });

  test("an image whose header promises too many pixels is refused without decoding it", async () => {
    const before = process.memoryUsage().rss;
    const bomb = { bytes: pngOf(60_000, 60_000), mediaType: "image/png", maxDimension: 100 };
    await assert.rejects(scaler().scale(bomb, "prj_1", never), (error) => {
      return error instanceof ImageProblem && /has 60000 x 60000 pixels; the limit/.test(error.message);
    });
    assert.ok(process.memoryUsage().rss - before < 500_000_000);
  });

  test("an image whose header hides how many pixels it has is refused", async () => {
    const images = scaler();
    const jpeg = picture(8_000, 6_000, "image/jpeg").bytes;
    for (const [mediaType, bytes, problem] of [
      ["image/gif", gifWithFrame(100, 8_000, 6_000), /has 8000 x 6000 pixels; the limit/],
      ["image/jpeg", jpeg, /has 8000 x 6000 pixels; the limit/],
      ["image/jpeg", withFakeSize(jpeg), /is not a readable image\/jpeg/],
    ] as const) {
      await assert.rejects(images.scale({ bytes, mediaType, maxDimension: 50 }, "prj_1", never), (error) => {
        return error instanceof ImageProblem && problem.test(error.message);
      });
    }
  });

  test("bytes that are not an image are refused with a sentence, and nothing else fails", async () => {
    const images = scaler();
    const { bytes, mediaType } = picture(400, 200, "image/png");
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(bytes.length - 1).map((at) => bytes.slice(0, at)),
      fc.tuple(fc.integer({ min: 30, max: bytes.length - 1 }), fc.nat(255)).map(([at, value]) => {
        const changed = bytes.slice();
        changed[at] = value;
        return changed;
      }),
    );
    const property = fc.asyncProperty(garbage, async (given) => {
      const request = { bytes: new Uint8Array(given), mediaType, maxDimension: 10 };
      try {
        assert.ok((await images.scale(request, "prj_1", never)).bytes.length > 0 || given.length === 0);
      } catch (error) {
        assert.ok(error instanceof ImageProblem, String(error));
      }
    });
    await fc.assert(property, { numRuns: 60 });
    const good = await images.scale({ bytes, mediaType, maxDimension: 10 }, "prj_1", never);
    assert.ok(good.bytes.length > 0);
  });

  test("a project with many images delays that of another one by one image, and fills half of the line", async () => {
    const images = scaler();
    const request = { ...picture(400, 200, "image/png"), maxDimension: 100 };
    const order: string[] = [];
    const scale = (owner: string) => images.scale(request, owner, never).then(() => order.push(owner));
    const flood = Promise.allSettled(Array.from({ length: 30 }, () => scale("flood")));
    await scale("other");
    assert.ok(order.length <= 3, `${order}`);
    const refused = (await flood).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 13);
  });

  test("an image that takes too long is given up, and the next one is scaled", async () => {
    const request = { ...picture(3_000, 3_000, "image/png"), maxDimension: 100 };
    await assert.rejects(
      scaler({ timeoutMs: 1 }).scale(request, "prj_1", never),
      /takes too long to scale down/,
    );
    const leaving = new AbortController();
    const images = scaler();
    const left = images.scale(request, "prj_1", leaving.signal);
    leaving.abort(new Error("gone"));
    await assert.rejects(left, /gone/);
    assert.ok((await images.scale(request, "prj_1", never)).bytes.length > 0);
  });
});

/** A valid header, and data for a single row. */
function pngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const data = chunk("IDAT", deflateSync(Buffer.alloc(width * 3 + 1)));
  return new Uint8Array(
    Buffer.concat([signature, chunk("IHDR", header), data, chunk("IEND", Buffer.alloc(0))]),
  );
}

/** A few bytes: a small picture, and in it a frame of any size, for which decoders enlarge the picture. */
function gifWithFrame(side: number, width: number, height: number): Uint8Array<ArrayBuffer> {
  const two = (value: number) => [value & 255, value >> 8];
  const screen = [...Buffer.from("GIF89a"), ...two(side), ...two(side), 0x80, 0, 0];
  const frame = [0x2c, 0, 0, 0, 0, ...two(width), ...two(height), 0];
  return new Uint8Array([...screen, 0, 0, 0, 255, 255, 255, ...frame, 2, 2, 0x44, 1, 0, 0x3b]);
}

/**
 * A JPEG that decoders read as before, because they skip the byte after its first segment. Who goes back there and takes the
 * next two bytes for a length ends in a comment, which looks like the header of an image of 100 x 100 pixels.
 */
function withFakeSize(jpeg: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = jpeg.subarray(0, 20);
  const comment = Buffer.alloc(5_000);
  comment.writeUInt16BE(0xfffe, 0);
  comment.writeUInt16BE(comment.length - 2, 2);
  const fakeAt = 5 + Buffer.from(first).readUInt16BE(5) - (first.length + 1);
  comment.set([0xff, 0xc0, 0, 17, 8, 0, 100, 0, 100], fakeAt);
  return new Uint8Array(Buffer.concat([first, Buffer.from([0]), comment, jpeg.subarray(20)]));
}
