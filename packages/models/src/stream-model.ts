import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { Secret } from "@muster/service";
import { defaultStreamLimits, type StreamLimits } from "./default-stream-limits.ts";
import { definitionOf } from "./providers/index.ts";
import { type FailedCall, modelFailure, toModelFailure } from "./to-failure.ts";

/**
 * Calls a model once and yields the parts of its reply. The last part is always a `finish` part; any other outcome
 * is thrown: `ModelFailure`, or the reason of `options.abortSignal` if the caller aborted. Nothing is retried here.
 * Leaving the loop early closes the connection.
 */
export async function* streamModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  limits: StreamLimits = defaultStreamLimits,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  // A model without a definition, such as the demo model, has its own name.
  const { name = model.provider, hidesBrokenStreams = false } = definitionOf(model) ?? {};
  const call: FailedCall = { name, model: model.modelId, ...accessOf(model) };
  const watch = watchCall(options.abortSignal, limits);
  const doubtfulCalls: LanguageModelV4StreamPart[] = [];
  let finished = false;
  try {
    const result = await watch.race(model.doStream({ ...options, abortSignal: watch.signal }));
    call.headers = result.response?.headers;
    const reader = watch.guard(result.stream.getReader());
    while (true) {
      watch.awaits();
      const read = await reader.read();
      watch.received(read);
      const { done, value: part } = read;
      if (done) throw modelFailure("cut", call);
      if (part.type === "error") throw toModelFailure(part.error, call);
      if (part.type === "ping") continue;
      if (isDoubtfulCall(part, hidesBrokenStreams)) doubtfulCalls.push(part);
      else if (part.type !== "finish") yield part;
      else {
        refuseBrokenFinish(part, call, hidesBrokenStreams);
        finished = true;
        yield* doubtfulCalls;
        yield part;
        return;
      }
    }
  } catch (error) {
    if (finished) throw error;
    throw watch.stalled() ? modelFailure("silent", call, { cause: error }) : reasonOf(error, options, call);
  } finally {
    watch.end(finished);
  }
}

function reasonOf(error: unknown, options: LanguageModelV4CallOptions, call: FailedCall): unknown {
  return options.abortSignal?.aborted ? options.abortSignal.reason : toModelFailure(error, call);
}

// If a stream breaks off, some packages still emit the calls they have, with half of their arguments or with `{}`.
// Such a call is only passed on if the provider finished its reply properly.
function isDoubtfulCall(part: LanguageModelV4StreamPart, hidesBrokenStreams: boolean): boolean {
  if (part.type !== "tool-call") return false;
  if (hidesBrokenStreams && part.input === "{}") return true;
  try {
    JSON.parse(part.input);
    return false;
  } catch {
    return true;
  }
}

/**
 * Some packages invent a `finish` part if the connection ends before the provider has sent a finish reason: it is
 * `interrupted`, or `other` without the provider's own word, or, with `hidesBrokenStreams`, even `tool-calls`.
 */
function refuseBrokenFinish(
  part: Extract<LanguageModelV4StreamPart, { type: "finish" }>,
  call: FailedCall,
  hidesBrokenStreams: boolean,
): void {
  const { unified, raw } = part.finishReason;
  if (unified === "error")
    throw modelFailure("server-error", call, raw === undefined ? {} : { errorName: raw });
  const isInvented = raw === undefined && (unified === "other" || hidesBrokenStreams);
  if (unified === "interrupted" || isInvented) throw modelFailure("cut", call);
}

/** The access to a model: the part that failures must not repeat. */
export interface ModelAccess {
  apiKey?: Secret | undefined;
  /** The key belongs to the project and not to the platform. */
  isProjects: boolean;
  /** Absent: the provider's public address. */
  baseUrl?: string | undefined;
}

const known = new WeakMap<LanguageModelV4, ModelAccess>();

export function rememberAccess(model: LanguageModelV4, access: ModelAccess): void {
  known.set(model, access);
}

export function accessOf(model: LanguageModelV4): ModelAccess | undefined {
  return known.get(model);
}

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type Read = Awaited<ReturnType<Reader["read"]>>;

const drainMs = 1000;

/**
 * Watches one model call: forwards the caller's abort, and ends the call if the provider is silent for too long. Only
 * the time spent waiting for a part counts, so a slow reader is never mistaken for a slow provider. Each call has one
 * timer, which is rearmed when it fires: reading a part needs no timer.
 */
function watchCall(caller: AbortSignal | undefined, limits: StreamLimits) {
  caller?.throwIfAborted();
  const controller = new AbortController();
  let limitMs = limits.firstPartTimeoutMs;
  let waitingSinceMs: number | undefined = performance.now();
  let stalled = false;
  let guarded: Reader | undefined;
  let rejectRace: ((reason: unknown) => void) | undefined;

  const abandon = (reason: unknown): void => {
    controller.abort(reason);
    rejectRace?.(reason);
    // A pending read ends at once, even if the stream below ignores the signal.
    guarded?.cancel(reason).catch(ignore);
  };
  const onAbort = (): void => abandon(caller?.reason);
  caller?.addEventListener("abort", onAbort, { once: true });

  const check = (): void => {
    const waitedMs = waitingSinceMs === undefined ? 0 : performance.now() - waitingSinceMs;
    if (waitedMs < limitMs) {
      timer = setTimeout(check, limitMs - waitedMs);
      return;
    }
    stalled = true;
    abandon(new Error(`No part within ${limitMs} ms`));
  };
  let timer = setTimeout(check, limitMs);
  // Once in a call: the limit for the first part may be longer, and its timer would notice a stall too late.
  const startStallLimit = (): void => {
    limitMs = limits.stallTimeoutMs;
    clearTimeout(timer);
    timer = setTimeout(check, limitMs);
  };

  return {
    /** Aborts when the caller aborts, the provider stalls, or the call ends. */
    signal: controller.signal,
    stalled: (): boolean => stalled,
    /** Waits for `promise`, at most until the call is abandoned. */
    race<T>(promise: PromiseLike<T>): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        rejectRace = reject;
        promise.then(resolve, reject);
      });
    },
    guard(reader: Reader): Reader {
      guarded = reader;
      return reader;
    },
    /** Before a part is read. */
    awaits(): void {
      waitingSinceMs ??= performance.now();
    },
    /** After a part was read. Throws if the call has been abandoned meanwhile. */
    received({ done, value }: Read): void {
      controller.signal.throwIfAborted();
      // The packages create this part themselves, before the provider has sent anything.
      if (!done && value.type === "stream-start") return;
      waitingSinceMs = undefined;
      if (limitMs !== limits.stallTimeoutMs) startStallLimit();
    },
    /** Releases everything. A finished call is read to its end, so that its connection can be reused. */
    end(finished: boolean): void {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onAbort);
      if (finished && guarded !== undefined) drain(guarded, controller);
      else if (!controller.signal.aborted) abandon(new Error("The call was abandoned"));
    },
  };
}

function drain(reader: Reader, controller: AbortController): void {
  const deadline = setTimeout(() => controller.abort(new Error("The stream did not end")), drainMs);
  const readOn = ({ done }: Read): unknown => (done ? undefined : reader.read().then(readOn));
  reader
    .read()
    .then(readOn)
    .catch(ignore)
    .finally(() => clearTimeout(deadline));
}

/** For promises whose outcome no longer matters: the call has been abandoned or has ended. */
function ignore(): void {}
