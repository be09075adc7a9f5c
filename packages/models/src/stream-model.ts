import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { watchCall } from "./call-watch.ts";
import { accessOf } from "./model-access.ts";
import type { ProviderDefinition } from "./provider-definition.ts";
import { definitionOf } from "./providers/definition-of.ts";
import { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";
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
  const { name, hidesBrokenStreams, readUnknownEvent } = providerOf(model);
  const call: FailedCall = { name, model: model.modelId, ...accessOf(model) };
  const watch = watchCall(options.abortSignal, limits);
  const doubtfulCalls: LanguageModelV4StreamPart[] = [];
  const skippedBlocks = new Set<string>();
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
      if (part.type === "error") {
        const unknown = readUnknownEvent?.(part.error);
        if (unknown === undefined) throw toModelFailure(part.error, call);
        if (unknown.blockId !== undefined) skippedBlocks.add(unknown.blockId);
        continue;
      }
      if (part.type === "ping" || ("id" in part && skippedBlocks.has(part.id))) continue;
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

type Quirks = Pick<ProviderDefinition, "readUnknownEvent"> & { name: string; hidesBrokenStreams: boolean };

/** The definition behind a model; one without a definition, such as the demo model, has its own name and no quirks. */
function providerOf(model: LanguageModelV4): Quirks {
  const definition = definitionOf(model);
  return {
    name: definition?.name ?? model.provider,
    hidesBrokenStreams: definition?.hidesBrokenStreams ?? false,
    ...(definition?.readUnknownEvent && { readUnknownEvent: definition.readUnknownEvent }),
  };
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
