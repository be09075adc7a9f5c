import type { SKRSContext2D } from "@napi-rs/canvas";
import { registerFonts } from "../fonts/fonts.ts";
import type { RunFacts } from "../run-facts.ts";
import type { TimelineEvent } from "../timeline-event.ts";
import type { Words } from "../words/words.ts";
import type { Area } from "./area.ts";
import type { Scene, SceneOptions } from "./scene.ts";

const titleMs = 2500;
const endMs = 3000;

/** Creates the scene of a run, at its title card. */
export function createScene(facts: RunFacts, options: SceneOptions): Scene {
  registerFonts();
  return new RunScene(facts, options);
}

class RunScene implements Scene {
  readonly #facts: RunFacts;
  readonly #options: SceneOptions;
  #nowMs = 0;
  #lastDueMs = titleMs;
  #isDirty = true;
  readonly words: Words = { takeChapters: () => "", takeTranscript: () => "" };

  constructor(facts: RunFacts, options: SceneOptions) {
    this.#facts = facts;
    this.#options = options;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get isDirty(): boolean {
    return this.#isDirty;
  }

  due(event: TimelineEvent): number {
    this.#lastDueMs = Math.max(this.#lastDueMs, titleMs + event.atMs);
    return this.#lastDueMs;
  }

  apply(_event: TimelineEvent): void {
    this.#isDirty = true;
  }

  finish(): number {
    return this.#lastDueMs + endMs;
  }

  async advanceTo(videoMs: number): Promise<void> {
    this.#nowMs = videoMs;
  }

  draw(context: SKRSContext2D): Area[] {
    const { theme, width, height } = this.#options;
    context.fillStyle = theme === "dark" ? "#0d1017" : "#f6f7f9";
    context.fillRect(0, 0, width, height);
    context.fillStyle = theme === "dark" ? "#ffffff" : "#111827";
    context.font = "600 52px Inter";
    context.fillText(this.#facts.agentName, 96, 340);
    this.#isDirty = false;
    return [{ x: 0, y: 0, width, height }];
  }
}
