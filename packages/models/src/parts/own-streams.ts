import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type CreateReader, readParts } from "./read-parts.ts";

type Fetch = typeof globalThis.fetch;

/** A call of a package, in which `fetch` hands over the response or replies with a body that was read before. */
type Call = { handOver(body: ReadableStream<Uint8Array>, headers: Headers): void } | { reply: Response };

/**
 * Reads the streams of a package's models with a reader of our own. The package builds each request, and still reads
 * error responses, other content types, and every event or broken connection that ends a stream early, so that failures
 * are its own. The returned `fetch` is to be passed to the package; `read` returns a model that is read this way.
 */
export function ownStreams(
  fetch: Fetch,
  createReader: CreateReader,
): { fetch: Fetch; read(model: LanguageModelV4): LanguageModelV4 } {
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
