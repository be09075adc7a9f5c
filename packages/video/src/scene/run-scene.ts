import { createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { drawEndCard } from "../cards/draw-end-card.ts";
import { drawTitleCard } from "../cards/draw-title-card.ts";
import { Backdrop } from "../frame/backdrop.ts";
import { dollars, duration } from "../frame/format.ts";
import { frame } from "../frame/layout.ts";
import type { RunFacts } from "../run-facts.ts";
import { type Palette, palettes } from "../theme/palettes.ts";
import type { TimelineEvent } from "../timeline-event.ts";
import type { Words } from "../words/words.ts";
import type { Area } from "./area.ts";
import { Clock } from "./clock.ts";
import type { Scene, SceneOptions } from "./scene.ts";
import { Stage } from "./stage.ts";
import { Story } from "./story.ts";

const titleMs = 2400;
const fadeMs = 400;
const endMs = 4000;

type Part = "title" | "run" | "end";

/** The title, the run, and how it ended. */
export class RunScene implements Scene {
  readonly #facts: RunFacts;
  readonly #palette: Palette;
  readonly #backdrop: Backdrop;
  readonly #clock: Clock;
  readonly #story: Story;
  readonly #stage: Stage;
  #nowMs = 0;
  #dueMs = titleMs;
  /** When the end card begins. */
  #endsAtMs = Number.POSITIVE_INFINITY;
  #drawn = { part: "", fade: -1 };

  constructor(facts: RunFacts, { theme }: SceneOptions) {
    this.#facts = facts;
    this.#palette = palettes[theme];
    this.#backdrop = new Backdrop(this.#palette);
    this.#clock = new Clock(titleMs, facts.endedAtMs - facts.startedAtMs);
    this.#story = new Story(facts, this.#clock);
    this.#stage = new Stage(this.#story, this.#clock, this.#palette, this.#backdrop);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  due(event: TimelineEvent): number {
    this.#dueMs = this.#clock.due(event.atMs);
    return this.#dueMs;
  }

  apply(event: TimelineEvent): void {
    const runMs = this.#clock.runTimeAt(this.#dueMs);
    this.#story.take(event.type, event.json, { videoMs: this.#dueMs, runMs });
  }

  finish(): number {
    this.#story.end(this.#dueMs);
    const readMs = Math.min(1500 + this.#story.lastLength * 14, 6000);
    this.#endsAtMs = this.#dueMs + readMs;
    this.#story.chapters.begin(this.#endsAtMs, "Result");
    this.#story.chapters.describe(this.#outcome());
    this.#story.transcript.say(this.#endsAtMs, this.#facts.agentName, this.#outcome());
    this.#story.transcript.endAll(this.#endsAtMs + endMs);
    this.#story.chapters.end(this.#endsAtMs + endMs);
    return this.#endsAtMs + endMs;
  }

  async advanceTo(videoMs: number): Promise<void> {
    this.#nowMs = videoMs;
    await this.#stage.advanceTo(videoMs);
  }

  get isDirty(): boolean {
    const { part, fade } = this.#drawn;
    if (part !== this.#part || fade !== this.#fade) return true;
    return part === "run" && this.#stage.isDirty;
  }

  draw(context: SKRSContext2D): Area[] {
    const part = this.#part;
    const fade = this.#fade;
    const isCut = part !== this.#drawn.part || fade !== this.#drawn.fade;
    this.#drawn = { part, fade };
    if (part === "run" && !isCut) return this.#stage.draw(context);
    if (isCut) this.#drawPart(context, part, fade);
    return isCut ? [frame] : [];
  }

  redraw(context: SKRSContext2D): void {
    this.#drawPart(context, this.#part, this.#fade);
  }

  readonly words: Words = {
    takeChapters: () => this.#story.chapters.take(),
    takeTranscript: () => this.#story.transcript.take(),
  };

  get #part(): Part {
    if (this.#nowMs < titleMs) return "title";
    return this.#nowMs < this.#endsAtMs ? "run" : "end";
  }

  /** How much of the part is to be seen, in four steps. */
  get #fade(): number {
    // The first frame is the one that viewers see before they press play.
    const begunMs = { title: -fadeMs, run: titleMs, end: this.#endsAtMs }[this.#part];
    return Math.min(Math.floor(((this.#nowMs - begunMs) / fadeMs) * 4 + 1) / 4, 1);
  }

  #drawPart(context: SKRSContext2D, part: Part, fade: number): void {
    this.#stage.forget();
    if (part === "run") {
      this.#backdrop.paintStage(context);
      this.#stage.draw(context);
    } else {
      this.#backdrop.paintPlain(context);
      if (part === "title") drawTitleCard(context, this.#facts, this.#palette);
      else drawEndCard(context, this.#facts, this.#story.step, this.#palette);
    }
    if (fade < 1) this.#veil(context, 1 - fade);
  }

  /** Covers the picture in part with the plain background. */
  #veil(context: SKRSContext2D, alpha: number): void {
    const veil = createCanvas(frame.width, frame.height);
    this.#backdrop.paintPlain(veil.getContext("2d"));
    context.save();
    context.globalAlpha = alpha;
    context.drawImage(veil, 0, 0);
    context.restore();
  }

  #outcome(): string {
    const { status, failureReason, usage, startedAtMs, endedAtMs } = this.#facts;
    const cost = usage === undefined ? "" : dollars(usage.costUsd);
    const took = `after ${duration(endedAtMs - startedAtMs)}`;
    const words = [`${status} ${took}`, failureReason ?? "", cost].filter((part) => part !== "");
    const text = words.join(", ");
    return text.charAt(0).toUpperCase() + text.slice(1);
  }
}
