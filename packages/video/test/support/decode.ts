import { createCanvas } from "@napi-rs/canvas";
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from "mediabunny";
import { loadLibav } from "../../src/encode/load-libav.ts";

export interface Decoded {
  width: number;
  height: number;
  /** RGBA. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** The picture that a video shows at a time, as a player decodes it: from the key frame before. */
export async function pictureAt(path: string, seconds: number): Promise<Decoded> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track === null) throw new Error(`${path} has no video track`);
    const sink = new EncodedPacketSink(track);
    const last = await sink.getPacket(seconds);
    const key = await sink.getKeyPacket(seconds);
    if (last === null || key === null) throw new Error(`${path} shows nothing at ${seconds} s`);
    const packets: Uint8Array[] = [];
    for await (const packet of sink.packets(key)) {
      packets.push(packet.data);
      if (packet.timestamp >= last.timestamp) break;
    }
    return await decode(packets);
  } finally {
    input.dispose();
  }
}

/** The same as a WebP file. */
export async function webpAt(path: string, seconds: number): Promise<Buffer> {
  const { width, height, pixels } = await pictureAt(path, seconds);
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  image.data.set(pixels);
  context.putImageData(image, 0, 0);
  return canvas.encode("webp", 82);
}

async function decode(packets: Uint8Array[]): Promise<Decoded> {
  const { calls } = await loadLibav();
  const [, context, packet, frame] = calls.ff_init_decoder_sync("libvpx-vp9");
  const inputs = packets.map((data, index) => ({ data, pts: index, ptshi: 0, dts: index, dtshi: 0 }));
  const frames = calls.ff_decode_multi_sync(context, packet, frame, inputs, true);
  const last = frames.at(-1);
  calls.ff_free_decoder_sync(context, packet, frame);
  const { width, height, data, layout } = last ?? {};
  if (width === undefined || height === undefined || layout === undefined)
    throw new Error("No picture came out");
  if (!(data instanceof Uint8Array)) throw new Error("The picture is not of bytes");
  return { width, height, pixels: toRgba(data, layout, width, height) };
}

/** From BT.709 with limited range. */
function toRgba(
  data: Uint8Array,
  layout: { offset: number; stride: number }[],
  width: number,
  height: number,
) {
  const pixels = new Uint8ClampedArray(width * height * 4);
  const at = (plane: number, x: number, y: number) => {
    const { offset, stride } = layout[plane] ?? { offset: 0, stride: 0 };
    return data[offset + y * stride + x] ?? 0;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const brightness = (255 / 219) * (at(0, x, y) - 16);
      const blue = (255 / 224) * (at(1, x >> 1, y >> 1) - 128);
      const red = (255 / 224) * (at(2, x >> 1, y >> 1) - 128);
      const green = brightness - 0.187324 * blue - 0.468124 * red;
      pixels.set([brightness + 1.5748 * red, green, brightness + 1.8556 * blue, 255], (y * width + x) * 4);
    }
  }
  return pixels;
}
