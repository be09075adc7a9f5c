import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { watchCall } from "./call-watch.ts";
import { publicProviderName } from "./providers.ts";
import { defaultStreamLimits, type StreamLimits } from "./stream-limits.ts";
import { type FailedCall, modelFailure, toModelFailure } from "./to-failure.ts";

/**
 * Calls a model once and yields the parts of its answer. The last part is always a `finish` part; whatever else
 * happens is thrown: `ModelFailure`, or the reason of `options.abortSignal` when the caller gave up. Nothing is
 * retried here. Leaving the loop early closes the connection.
 */
export async function* streamModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  limits: StreamLimits = defaultStreamLimits,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const call: FailedCall = { name: publicProviderName(model.provider), model: model.modelId };
  const watch = watchCall(options.abortSignal, limits);
  const doubtfulCalls: LanguageModelV4StreamPart[] = [];
  let finished = false;
  try {
    const result = await watch.race(model.doStream({ ...options, abortSignal: watch.signal }));
    call.headers = result.response?.headers;
    const reader = watch.guard(result.stream.getReader());
    while (true) {
      const { done, value: part } = await watch.read(reader);
      if (done) throw modelFailure("cut", call);
      if (part.type === "error") throw toModelFailure(part.error, call);
      if (part.type === "ping") continue;
      if (isDoubtfulCall(part, call)) doubtfulCalls.push(part);
      else if (part.type !== "finish") yield part;
      else {
        refuseBrokenFinish(part, call);
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

// When a stream breaks off, some packages still emit the calls they have, with half of their arguments; OpenRouter's
// even replaces those by `{}`. Such a call is only passed on when the provider finished its answer properly.
function isDoubtfulCall(part: LanguageModelV4StreamPart, call: FailedCall): boolean {
  if (part.type !== "tool-call") return false;
  if (call.name === "aggregator" && part.input === "{}") return true;
  try {
    JSON.parse(part.input);
    return false;
  } catch {
    return true;
  }
}

/**
 * Some packages make up a `finish` part when the connection ends before the provider said why it stopped. They say
 * `interrupted`, or `other` without the provider's own word; OpenRouter's even says `tool-calls`.
 */
function refuseBrokenFinish(
  part: Extract<LanguageModelV4StreamPart, { type: "finish" }>,
  call: FailedCall,
): void {
  const { unified, raw } = part.finishReason;
  if (unified === "error")
    throw modelFailure("server-error", call, raw === undefined ? {} : { errorName: raw });
  const isMadeUp = raw === undefined && (unified === "other" || call.name === "aggregator");
  if (unified === "interrupted" || isMadeUp) throw modelFailure("cut", call);
}
