import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import {
  cacheModes,
  ModelFailure,
  type Models,
  providerSettings,
  streamModel,
  thinkingLevels,
} from "@muster/models";
import type { ModelCall } from "../engine/boundary/machine.ts";
import { remedyFor } from "./failure-remedies.ts";

/** Makes the model calls of one turn. Looks up each model once, however many steps the turn has. */
export class ModelCalls {
  readonly #models: Models;
  readonly #resolved = new Map<string, ReturnType<Models["resolve"]>>();

  constructor(models: Models) {
    this.#models = models;
  }

  /** Explains in a sentence why the model cannot be called; undefined if it can. */
  async problemOf(modelId: string): Promise<string | undefined> {
    const resolved = await this.#resolve(modelId);
    return resolved.ok ? undefined : resolved.problem;
  }

  /** The parts of the response; see `streamModel`. Throws a `ModelFailure` if no configured provider has the model. */
  async start(call: ModelCall, signal: AbortSignal): Promise<AsyncIterable<LanguageModelV4StreamPart>> {
    const resolved = await this.#resolve(call.modelId);
    if (!resolved.ok) throw notRunnable(call.modelId, resolved.problem);
    return streamModel(resolved.model, optionsFor(call, signal), this.#models.limits);
  }

  #resolve(modelId: string): ReturnType<Models["resolve"]> {
    const resolved = this.#resolved.get(modelId) ?? this.#models.resolve(modelId);
    this.#resolved.set(modelId, resolved);
    return resolved;
  }
}

/** The call with its provider's settings. */
function optionsFor(call: ModelCall, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { modelId, options, thinking, cache } = call;
  const choice = {
    thinking: thinkingLevels.find((level) => level === thinking),
    cache: cacheModes.find((mode) => mode === cache),
  };
  return { ...options, ...providerSettings(modelId, choice), abortSignal };
}

/** The log fields of a failed call. Unlike `message` and `cause`, they leave out words that may repeat the conversation. */
export function logFieldsOf({ summary, errorType, provider, said, thrown }: ModelFailure) {
  return {
    problem: summary,
    errorType,
    remedy: remedyFor[errorType],
    provider,
    ...(said !== undefined && { said }),
    ...(thrown !== undefined && { thrown }),
  };
}

function notRunnable(modelId: string, problem: string): ModelFailure {
  const [name = "unknown", ...model] = modelId.split("/");
  return new ModelFailure({
    message: problem,
    errorType: "not_found_error",
    source: "platform",
    retryable: false,
    transient: false,
    provider: { name, model: model.join("/") },
  });
}
