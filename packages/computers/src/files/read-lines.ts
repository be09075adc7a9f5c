import { nextTurn } from "@muster/large-data/pause";

/** Some lines of a file. */
export interface Lines {
  content: string;
  firstLine: number;
  /** 0 if none of them was read. */
  lastLine: number;
  totalLines: number;
  /** True if the last line has more bytes than are shown. */
  isCut: boolean;
}

/** The file is not UTF-8 text. */
export class NotTextError extends Error {}

const newline = 10;

/** Reads whole lines up to a number of bytes, of which the first may be cut. The content passes once, chunk by chunk. */
export async function readLines(
  content: AsyncIterable<Uint8Array>,
  { firstLine, lines, maxBytes }: { firstLine: number; lines: number; maxBytes: number },
): Promise<Lines> {
  const wanted: Uint8Array[] = [];
  let wantedBytes = 0;
  let line = 1;
  let endsWithNewline = true;
  let isEmpty = true;
  for await (const chunk of content) {
    if (chunk.includes(0)) throw new NotTextError();
    let start = 0;
    while (start < chunk.length) {
      const found = chunk.indexOf(newline, start);
      const end = found < 0 ? chunk.length : found + 1;
      if (line >= firstLine && line < firstLine + lines && wantedBytes <= maxBytes) {
        // One byte more than the limit is kept, to know that there is more.
        const part = chunk.subarray(start, Math.min(end, start + maxBytes + 1 - wantedBytes));
        wanted.push(part);
        wantedBytes += part.length;
      }
      if (found >= 0) line++;
      start = end;
      endsWithNewline = found >= 0;
      isEmpty = false;
    }
    await nextTurn();
  }
  const totalLines = isEmpty ? 0 : endsWithNewline ? line - 1 : line;
  return shown(Buffer.concat(wanted), firstLine, totalLines, maxBytes);
}

function shown(bytes: Buffer, firstLine: number, totalLines: number, maxBytes: number): Lines {
  let end = bytes.length;
  let isCut = false;
  if (end > maxBytes) {
    end = bytes.lastIndexOf(newline, maxBytes - 1) + 1;
    isCut = end === 0;
    if (isCut) end = characterStart(bytes, maxBytes);
  }
  const content = decode(bytes.subarray(0, end));
  const count = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return { content, firstLine, lastLine: count === 0 ? 0 : firstLine + count - 1, totalLines, isCut };
}

/** The last position up to `at` that is not in the middle of a character. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotTextError();
  }
}
