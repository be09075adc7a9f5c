import { imageSize } from "image-size";

export interface Size {
  width: number;
  height: number;
}

type Reader = (bytes: Buffer) => Size | undefined;

/**
 * The pixels that decoding takes, as the file itself says. Undefined for a file that decoders could read in another way
 * than these functions do: their result must be right, because a file of a few bytes can demand gigabytes of memory.
 */
export function sizeOf(bytes: Uint8Array, mediaType: string): Size | undefined {
  const read = Object.hasOwn(readers, mediaType) ? readers[mediaType] : undefined;
  try {
    const size = read?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    // The file ends too early.
    return undefined;
  }
}

const readers: Readonly<Record<string, Reader>> = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/gif": gifSize,
  "image/webp": webpSize,
};

const pngSignature = "\x89PNG\r\n\x1a\n";

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.toString("latin1", 0, 8) !== pngSignature) return undefined;
  if (bytes.readUInt32BE(8) !== 13 || bytes.toString("latin1", 12, 16) !== "IHDR") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Decoders skip bytes between segments, and differ in where they continue, so a file with such bytes is refused. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let size: Size | undefined;
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return undefined;
    const marker = bytes.readUInt8(at + 1);
    // A marker may be filled with any number of these.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // The image begins.
    if (marker === 0xda) return size;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    const length = bytes.readUInt16BE(at + 2);
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd9) || length < 2) return undefined;
    if (isFrame) {
      if (size !== undefined || marker > 0xc2) return undefined;
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + length;
  }
}

/** Decoders enlarge the picture for a frame that is outside of it. */
function gifSize(bytes: Buffer): Size | undefined {
  if (!/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return undefined;
  let [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  for (let at = 13 + colorsLength(bytes.readUInt8(10)); ; ) {
    const kind = bytes.readUInt8(at);
    if (kind === gifEnd) return { width, height };
    if (kind === gifExtension) at = endOfBlocks(bytes, at + 2);
    else if (kind === gifFrame) {
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      at = endOfBlocks(bytes, at + 11 + colorsLength(bytes.readUInt8(at + 9)));
    } else return undefined;
    // Many files lack the end.
    if (at === bytes.length) return { width, height };
  }
}

const gifExtension = 0x21;
const gifFrame = 0x2c;
const gifEnd = 0x3b;

/** The bytes of a table of colours; 0 if there is none. */
function colorsLength(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function endOfBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length;
  return at + 1;
}

/** Decoders refuse frames that are larger than the size read here. */
function webpSize(bytes: Buffer): Size | undefined {
  const { width, height, type } = imageSize(bytes);
  return type === "webp" ? { width, height } : undefined;
}
