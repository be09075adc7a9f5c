import {
  InvalidResponseDataError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { secureJsonParse } from "@ai-sdk/provider-utils";
import { isPlainObject } from "@muster/language";
import { createParser } from "eventsource-parser";

type Fetch = typeof globalThis.fetch;

/** A call of a package, in which `fetch` hands over the response or replies with a body that was read before. */
type Call = { handOver(body: ReadableStream<Uint8Array>, headers: Headers): void } | { reply: Response };

/** `fetch` is to be passed to the package. `read`: the package's model, of which our reader reads the streams. */
export interface OwnStreams {
  fetch: Fetch;
  read(model: LanguageModelV4): LanguageModelV4;
}

/**
 * Reads the streams of a package's models with a reader of our own. The package builds each request, and still reads
 * error responses, other content types, and every event or broken connection that ends a stream early, so that failures
 * are its own.
 */
export function ownStreams(fetch: Fetch, createReader: CreateReader): OwnStreams {
  // `fetch` recognises a call by its signal: the packages pass it on, and `streamModel` makes one for each call.
  const calls = new WeakMap<AbortSignal, Call>();

  const failureOf = async (
    model: LanguageModelV4,
    options: LanguageModelV4CallOptions,
    body: string | ReadableStream,
  ) => {
    if (options.abortSignal?.aborted) return options.abortSignal.reason;
    const { signal: abortSignal } = new AbortController();
    calls.set(abortSignal, { reply: new Response(body) });
    try {
      const { stream } = await model.doStream({ ...options, abortSignal });
      for await (const part of stream) if (part.type === "error") return part.error;
    } catch (error) {
      return error;
    }
    return undefined;
  };

  const doStream = (model: LanguageModelV4, options: LanguageModelV4CallOptions) => {
    const { abortSignal } = options;
    if (abortSignal === undefined || calls.has(abortSignal)) return model.doStream(options);
    return new Promise<Awaited<ReturnType<LanguageModelV4["doStream"]>>>((resolve, reject) => {
      const handOver = (body: ReadableStream<Uint8Array>, headers: Headers) => {
        const stream = readParts(body, createReader, (failed) => failureOf(model, options, failed));
        resolve({ stream, response: { headers: Object.fromEntries(headers) } });
      };
      calls.set(abortSignal, { handOver });
      model.doStream(options).then(resolve, reject);
    });
  };

  return {
    fetch: async (input, init) => {
      const call = init?.signal ? calls.get(init.signal) : undefined;
      if (call !== undefined && "reply" in call) return call.reply;
      const response = await fetch(input, init);
      const { body, headers } = response;
      if (call === undefined || body === null || !response.ok || !isEventStream(headers)) return response;
      call.handOver(body, headers);
      // The package waits for a response that never arrives. Nothing refers to that wait, so it needs no end.
      return new Promise<never>(() => {});
    },
    read: (model) => ({
      specificationVersion: "v4",
      provider: model.provider,
      modelId: model.modelId,
      supportedUrls: model.supportedUrls,
      doGenerate: (options) => model.doGenerate(options),
      doStream: (options) => doStream(model, options),
    }),
  };
}

function isEventStream(headers: Headers): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** Reads the events of one stream, and adds their parts to a list. */
export interface PartReader {
  /** `event`: JSON. Throws if it is an error, or not of the expected form. */
  read(event: unknown): void;
  /** After the last event. */
  end(): void;
}

type CreateReader = (parts: LanguageModelV4StreamPart[]) => PartReader;

/**
 * The parts of an event stream, in one turn of the loop for everything that arrived together. A failure is the last
 * part. `failureOf`: the error of a stream that consists of this body, which could not be read; undefined if it is none.
 */
function readParts(
  body: ReadableStream<Uint8Array>,
  createReader: CreateReader,
  failureOf: (body: string | ReadableStream) => Promise<unknown>,
): ReadableStream<LanguageModelV4StreamPart> {
  const bytes = body.getReader();
  const decoder = new TextDecoder();
  const parts: LanguageModelV4StreamPart[] = [];
  const reader = createReader(parts);
  let unread: { data: string; error: unknown } | undefined;
  const parser = createParser({
    onEvent({ data }) {
      if (unread !== undefined || data === "[DONE]") return;
      try {
        reader.read(secureJsonParse(data));
      } catch (error) {
        unread = { data, error };
      }
    },
  });

  const fail = async (error: unknown, failed: string | ReadableStream): Promise<true> => {
    parts.push({ type: "error", error: (await failureOf(failed)) ?? error });
    return true;
  };
  /** Adds the parts of the next chunk. True at the end. */
  const readOn = async (): Promise<boolean> => {
    const read = await bytes.read().catch((reason: unknown) => ({ reason }));
    if ("reason" in read) return fail(read.reason, failing(read.reason));
    if (read.done) {
      try {
        reader.end();
      } catch (error) {
        parts.push({ type: "error", error });
      }
      return true;
    }
    parser.feed(decoder.decode(read.value, { stream: true }));
    if (unread === undefined) return false;
    bytes.cancel(unread.error).catch(() => {});
    return fail(unread.error, `data: ${unread.data.replaceAll("\n", "\ndata: ")}\n\n`);
  };

  return new ReadableStream(
    {
      async pull(controller) {
        let ended = false;
        while (parts.length === 0 && !ended) ended = await readOn();
        for (const part of parts.splice(0)) controller.enqueue(part);
        if (ended) controller.close();
      },
      cancel: (reason) => bytes.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function failing(reason: unknown): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(reason) });
}

/** An object from a provider. The functions below throw if it is not of the expected form. */
export type Fields = Readonly<Record<string, unknown>>;

export function objectOf(data: unknown): Fields {
  if (isPlainObject(data)) return data;
  throw unexpected(data, "an object");
}

/** None if absent or `null`. */
export function objectsOf(data: unknown): Fields[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data.map(objectOf);
  throw unexpected(data, "an array");
}

/** Undefined if absent or `null`. */
export function textOf(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (data === undefined || data === null) return undefined;
  throw unexpected(data, "a string");
}

/** Undefined if absent or `null`. */
export function numberOf(data: unknown): number | undefined {
  if (typeof data === "number") return data;
  if (data === undefined || data === null) return undefined;
  throw unexpected(data, "a number");
}

function unexpected(data: unknown, expected: string): Error {
  return new InvalidResponseDataError({
    data,
    message: `The provider sent something else than ${expected}.`,
  });
}
