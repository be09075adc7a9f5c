import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Catalog } from "@muster/catalog";
import type { LabelsOf, Metrics } from "@muster/metrics";
import { ModelFailure } from "@muster/models";
import type { Fees } from "../../store/session-document.ts";
import type { StopCause } from "./stop-cause.ts";

type TurnOutcome = LabelsOf<"muster_turns_total">["outcome"];
export type FinishReason = Exclude<TurnOutcome, StopCause | "handed-over">;

/** Measures the turns of this instance and their model calls. */
export class TurnMetrics {
  readonly #metrics: Metrics;
  readonly #catalog: Pick<Catalog, "nameOf">;

  constructor(metrics: Metrics, catalog: Pick<Catalog, "nameOf">) {
    this.#metrics = metrics;
    this.#catalog = catalog;
  }

  turnEnded(outcome: TurnOutcome): void {
    this.#metrics.count("muster_turns_total", { outcome });
  }

  /** A model is about to be called. */
  call(modelId: string): CallMetrics {
    return new CallMetrics(this.#metrics, this.#catalog.nameOf(modelId) ?? "other");
  }
}

/** One call of a model. */
export class CallMetrics {
  readonly #metrics: Metrics;
  readonly #model: string;
  readonly #startMs = performance.now();
  #outcome = "aborted";
  #hasBegun = false;

  /** `model`: its name in the catalog. */
  constructor(metrics: Metrics, model: string) {
    this.#metrics = metrics;
    this.#model = model;
  }

  /** To be told of parts until it has seen one of the response. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  part(type: string): void {
    // Sent by the provider's package before anything has arrived.
    if (this.#hasBegun || type === "stream-start") return;
    this.#hasBegun = true;
    const [provider = "other"] = this.#model.split("/");
    const waitedS = (performance.now() - this.#startMs) / 1e3;
    this.#metrics.observe("muster_model_first_part_seconds", { provider }, waitedS);
  }

  /** The response is complete. Providers count wrongly at times. */
  used({ inputTokens, outputTokens }: LanguageModelV4Usage, { providerFee, bandwidthFee }: Fees): void {
    this.#outcome = "ok";
    const model = this.#model;
    for (const [direction, tokens = 0] of [
      ["input", inputTokens.total],
      ["output", outputTokens.total],
      ["cached_input", inputTokens.cacheRead],
    ] as const)
      if (Number.isSafeInteger(tokens) && tokens > 0)
        this.#metrics.count("muster_model_tokens_total", { model, direction }, tokens);
    const usd = Number(providerFee) + Number(bandwidthFee);
    if (usd > 0) this.#metrics.count("muster_model_cost_usd_total", { model }, usd);
  }

  failed(error: unknown): void {
    this.#outcome = error instanceof ModelFailure ? error.errorType : "internal_error";
  }

  /** Nothing of the response was wanted. */
  unused(): void {
    this.#outcome = "unused";
    this.ended();
  }

  ended(): void {
    this.#metrics.count("muster_model_requests_total", { model: this.#model, outcome: this.#outcome });
  }
}
