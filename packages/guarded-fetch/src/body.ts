import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Deadline } from "./deadline.ts";
import { FetchProblem } from "./fetch-problem.ts";

export const acceptedEncodings = "gzip, br, deflate";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
};

/** Undefined: the body is sent unchanged. Throws FetchProblem for an encoding, or several, that was not asked for. */
export function decoderFor(encoding: string | null): (() => Transform) | undefined {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (decoder === undefined) throw badResponse("The server uses an encoding that was not requested.");
  return decoder;
}

export function badResponse(message: string, cause?: unknown): FetchProblem {
  return new FetchProblem("bad-response", message, { cause });
}

export function tooLarge(maxBytes: number): FetchProblem {
  return new FetchProblem("too-large", `The response has more than ${maxBytes} bytes.`);
}

/** Read before a reader wants it. It may arrive in pieces of a byte, which take some 300 bytes each. */
export const readAheadBytes = 4 * 1024;

export interface BodyOptions {
  decode: (() => Transform) | undefined;
  /** The limit of the sent body, and of the decoded one. */
  maxBytes: number;
  deadline: Deadline;
  /** Translates the errors of the connection. */
  problemOf: (error: unknown) => unknown;
}

/** A body that ends with an error at its limits. Once it has ended, or is destroyed, the connection is closed. */
export function boundedBody(sent: Readable, options: BodyOptions): Readable {
  const { deadline } = options;
  // A reader that has not begun must not crash the process; each reader still gets the error.
  sent.on("error", ignore);
  const body = Readable.from(chunksOf(sent, options), { objectMode: false, highWaterMark: readAheadBytes });
  const stop = () => body.destroy(asError(options.problemOf(deadline.signal.reason)));
  deadline.signal.addEventListener("abort", stop, { once: true });
  body.on("error", ignore).once("close", () => {
    deadline.signal.removeEventListener("abort", stop);
    if (body.readableEnded) deadline.lift();
    else deadline.end();
    sent.destroy();
  });
  return body;
}

async function* chunksOf(sent: Readable, { decode, maxBytes, problemOf }: BodyOptions) {
  try {
    if (decode === undefined) yield* limited(sent, maxBytes);
    else yield* decoded(sent, decode(), maxBytes);
  } catch (error) {
    throw problemOf(error);
  }
}

async function* decoded(sent: Readable, decoder: Transform, maxBytes: number) {
  // The decoder gets the error of its source, and the loop below throws it.
  pipeline(Readable.from(limited(sent, maxBytes)), decoder, ignore);
  try {
    yield* limited(decoder, maxBytes);
  } catch (error) {
    throw isDecodingError(error) ? badResponse("The body cannot be decoded.", error) : error;
  }
}

/** Counts the bytes that arrive, because a Content-Length is only a claim. */
async function* limited(chunks: AsyncIterable<unknown>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("A body consists of bytes");
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function isDecodingError(error: unknown): boolean {
  return (
    error instanceof Error && "errno" in error && "code" in error && /^(Z_|ERR_)/.test(String(error.code))
  );
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("Aborted", { cause: reason });
}

function ignore(): void {}
