import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { FinishReason } from "../shown/events.ts";
import type { StepInFlight, Turn } from "../turn/turn.ts";
import { LoopGuard } from "./loop-guard.ts";
import { countUsage } from "./usage.ts";

/** The model call that writes a summary. Users see nothing of it, and its usage counts like that of any other. */
export class FoldStep implements StepInFlight {
  readonly finishReason: FinishReason = "other";
  readonly calls = { parts: [] };
  readonly isPaused = false;
  readonly #turn: Turn;
  readonly #guard = new LoopGuard();
  readonly #maxLength: number;
  #text = "";

  /** `maxLength`: the model is stopped after this many characters. */
  constructor(turn: Turn, maxLength: number) {
    this.#turn = turn;
    this.#maxLength = maxLength;
  }

  get isLooping(): boolean {
    return this.#guard.isLooping || this.#text.length > this.#maxLength;
  }

  take(part: LanguageModelV4StreamPart): void {
    if (part.type === "text-delta") this.#text += this.#guard.take(part.delta);
    else if (part.type === "finish") countUsage(this.#turn, part.usage);
  }

  /** The text that the model has written so far; empty if none of it is of use. */
  get text(): string {
    return this.#text.slice(0, this.#maxLength).toWellFormed().trim();
  }

  close(): void {
    this.#text += this.#guard.release();
  }

  stop(): void {
    this.close();
  }

  discard(): boolean {
    return false;
  }
}
