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

type PackageStream = ReadableStream<LanguageModelV4StreamPart>;

/** A call of a package, in which `fetch` hands over the response or replies with events that were read before. */
type Call =
  | { handOver(body: ReadableStream<Uint8Array>, headers: Headers): void }
  | { reply: ReadableStream<Uint8Array> };

/** `fetch` is to be passed to the package. `read`: the package's model, of which our reader reads the streams. */
export interface OwnStreams {
  fetch: Fetch;
  read(model: LanguageModelV4): LanguageModelV4;
}

/**
 * Reads the streams of a package's models with a reader of our own. The package builds each request, and still reads
 * error responses, other content types, and what our reader does not: failures are its own.
 */
export function ownStreams(fetch: Fetch, dialect: Dialect): OwnStreams {
  // `fetch` recognises a call by its signal: the packages pass it on, and `streamModel` makes one for each call.
  const calls = new WeakMap<AbortSignal, Call>();

  const doStream = (model: LanguageModelV4, options: LanguageModelV4CallOptions) => {
    const { abortSignal } = options;
    if (abortSignal === undefined || calls.has(abortSignal)) return model.doStream(options);
    const readByPackage = async (reply: ReadableStream<Uint8Array>): Promise<PackageStream> => {
      abortSignal.throwIfAborted();
      const { signal } = new AbortController();
      calls.set(signal, { reply });
      return (await model.doStream({ ...options, abortSignal: signal })).stream;
    };
    return new Promise<Awaited<ReturnType<LanguageModelV4["doStream"]>>>((resolve, reject) => {
      const handOver = (body: ReadableStream<Uint8Array>, headers: Headers) => {
        const stream = readParts(body, dialect, options, readByPackage);
        resolve({ stream, response: { headers: Object.fromEntries(headers) } });
      };
      calls.set(abortSignal, { handOver });
      model.doStream(options).then(resolve, reject);
    });
  };

  return {
    fetch: async (input, init) => {
      const call = init?.signal ? calls.get(init.signal) : undefined;
      if (call !== undefined && "reply" in call) return new Response(call.reply);
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

/** The form of a provider's streams. */
export interface Dialect {
  /** Reads the events of one stream, and adds their parts to a list. */
  createReader(parts: LanguageModelV4StreamPart[], options: LanguageModelV4CallOptions): PartReader;
  /** Whether our reader knows the replies to such a request. Absent: to all. */
  reads?(options: LanguageModelV4CallOptions): boolean;
}

export interface PartReader {
  /** `event`: JSON. Throws if the package must read it. */
  read(event: unknown): void;
  /** After the last event. */
  end(): void;
  /** Whether neither this reader nor the package must see the event. */
  skips?(event: unknown): boolean;
  /**
   * The events which the package needs to read on from here: those that opened the blocks that are still open. Absent: an
   * event that the package must read fails the call.
   */
  context?(): unknown[];
}

/**
 * The parts of an event stream, in one turn of the loop for everything that arrived together. A failure is the last
 * part. `readByPackage`: reads events that our reader could not read.
 */
function readParts(
  body: ReadableStream<Uint8Array>,
  dialect: Dialect,
  options: LanguageModelV4CallOptions,
  readByPackage: (body: ReadableStream<Uint8Array>) => Promise<PackageStream>,
): PackageStream {
  const bytes = body.getReader();
  const decoder = new TextDecoder();
  const parts: LanguageModelV4StreamPart[] = [];
  const reader = dialect.createReader(parts, options);
  /** Events for the package, from the first one that our reader could not read. */
  let unread: string[] | undefined = dialect.reads?.(options) === false ? [] : undefined;
  let problem: unknown;
  let package_: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  let knownParts = 0;

  const take = (data: string) => {
    const event = secureJsonParse(data);
    if (reader.skips?.(event)) return;
    if (unread === undefined) reader.read(event);
    else unread.push(data);
  };
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") return;
      try {
        take(data);
      } catch (error) {
        problem ??= error;
        unread = [...(unread ?? []), data];
      }
    },
  });

  const rest = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (unread?.length === 0) {
          const { done, value } = await bytes.read();
          if (done) return controller.close();
          parser.feed(decoder.decode(value, { stream: true }));
        }
        controller.enqueue(encode(unread?.splice(0) ?? []));
      },
      cancel: (reason) => bytes.cancel(reason),
    },
    { highWaterMark: 0 },
  );

  /** The package reads on, from the events in which our reader's parts have begun. */
  const handOver = async (context: unknown[]): Promise<void> => {
    const known: LanguageModelV4StreamPart[] = [];
    const again = dialect.createReader(known, options);
    for (const event of context) again.read(event);
    knownParts = known.length;
    unread?.unshift(...context.map((event) => JSON.stringify(event)));
    package_ = (await readByPackage(rest)).getReader();
  };
  const readPackage = async (from: NonNullable<typeof package_>): Promise<boolean> => {
    const { done, value: part } = await from.read();
    if (done) return true;
    // Neither has a counterpart among our reader's.
    if (part.type === "stream-start" || part.type === "custom") return false;
    if (knownParts === 0) parts.push(part);
    else knownParts -= 1;
    return false;
  };

  /** The failure is the one that the package reports for this body. */
  const fail = async (error: unknown, failed: ReadableStream<Uint8Array>): Promise<true> => {
    let reported = error;
    try {
      for await (const part of await readByPackage(failed)) {
        if (part.type !== "error") continue;
        reported = part.error;
        break;
      }
    } catch (thrown) {
      reported = thrown;
    }
    parts.push({ type: "error", error: reported });
    return true;
  };
  /** Adds the parts of the next chunk. True at the end. */
  const readOn = async (): Promise<boolean> => {
    if (package_ !== undefined) return readPackage(package_);
    if (unread !== undefined) {
      const context = problem === undefined ? [] : reader.context?.();
      if (context !== undefined) return handOver(context).then(() => false);
      // The call fails with the problem, whatever becomes of the connection.
      bytes.cancel(problem).catch(() => {});
      return fail(problem, new Blob([encode(unread.slice(0, 1))]).stream());
    }
    const read = await bytes.read().catch((reason: unknown) => ({ reason }));
    if ("reason" in read) return fail(read.reason, failing(read.reason));
    if (!read.done) {
      parser.feed(decoder.decode(read.value, { stream: true }));
      return false;
    }
    try {
      reader.end();
    } catch (error) {
      parts.push({ type: "error", error });
    }
    return true;
  };

  return new ReadableStream(
    {
      async pull(controller) {
        let ended = false;
        while (parts.length === 0 && !ended) ended = await readOn();
        for (const part of parts.splice(0)) controller.enqueue(part);
        if (ended) controller.close();
      },
      cancel: (reason) => (package_ ?? bytes).cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const encoder = new TextEncoder();

function encode(events: readonly string[]) {
  return encoder.encode(events.map((data) => `data: ${data.replaceAll("\n", "\ndata: ")}\n\n`).join(""));
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

export function givenText(data: unknown): string {
  if (typeof data === "string") return data;
  throw unexpected(data, "a string");
}

export function givenNumber(data: unknown): number {
  if (typeof data === "number") return data;
  throw unexpected(data, "a number");
}

/** The error of a reader that leaves an event to the package. */
export function notOurs(data: unknown): Error {
  return new InvalidResponseDataError({ data, message: "The provider's package must read this." });
}

function unexpected(data: unknown, expected: string): Error {
  return new InvalidResponseDataError({
    data,
    message: `The provider sent something else than ${expected}.`,
  });
}
