import type { SKRSContext2D } from "@napi-rs/canvas";
import { drawToolCard } from "../cards/draw-tool-card.ts";
import { ChatPainter } from "../chat/chat-painter.ts";
import type { Block } from "../chat/conversation.ts";
import { drawText, ellipsized, type TextStyle } from "../fonts/text.ts";
import type { Backdrop } from "../frame/backdrop.ts";
import { drawFooter, type FooterState } from "../frame/draw-footer.ts";
import { clockTime, dollars, duration } from "../frame/format.ts";
import { drawHeader, type HeaderState } from "../frame/header.ts";
import * as layout from "../frame/layout.ts";
import { clipped } from "../frame/shapes.ts";
import { ScreenPainter } from "../terminal/screen-painter.ts";
import type { Palette } from "../theme/palettes.ts";
import { shownTool } from "../tools/call-words.ts";
import type { ToolCard } from "../tools/tool-card.ts";
import type { Area } from "./area.ts";
import type { Clock } from "./clock.ts";
import type { Story } from "./story.ts";

/** How often what spins moves on. More would only make the video larger. */
const spinMs = 250;
const titleStyle: TextStyle = { family: "Inter", size: 15 };

/** Draws a story, each part of the frame only if it has changed. */
export class Stage {
  readonly #story: Story;
  readonly #clock: Clock;
  readonly #palette: Palette;
  readonly #backdrop: Backdrop;
  readonly #runMs: number;
  readonly #screen: ScreenPainter;
  readonly #chat: ChatPainter;
  #drawn = { header: "", footer: "", title: "", chat: "", card: undefined as ToolCard | undefined };
  #isScreenChanged = true;
  #isScrolling = false;
  #nowMs = 0;

  constructor(story: Story, clock: Clock, palette: Palette, backdrop: Backdrop) {
    this.#story = story;
    this.#clock = clock;
    this.#palette = palette;
    this.#backdrop = backdrop;
    this.#runMs = Math.max(story.facts.endedAtMs - story.facts.startedAtMs, 1);
    this.#screen = new ScreenPainter(palette);
    this.#chat = new ChatPainter(palette);
  }

  async advanceTo(videoMs: number): Promise<void> {
    const passedMs = Math.max(videoMs - this.#nowMs, 0);
    this.#nowMs = videoMs;
    this.#story.conversation.advance(passedMs);
    this.#isScrolling = this.#chat.advance(passedMs);
    if (!this.#story.terminal.isWaiting) return;
    this.#isScreenChanged = true;
    await this.#story.terminal.advanceTo(videoMs);
  }

  get isDirty(): boolean {
    const { header, footer, title, chat, card } = this.#drawn;
    return (
      this.#isScreenChanged ||
      this.#story.card !== card ||
      this.#chatKey() !== chat ||
      this.#isScrolling ||
      keyOf(this.#header()) !== header ||
      keyOf(this.#footer()) !== footer ||
      this.#title() !== title
    );
  }

  /** The picture below is gone: the next `draw` draws everything. */
  forget(): void {
    this.#drawn = { header: "", footer: "", title: "", chat: "", card: undefined };
    this.#screen.forget();
    this.#isScreenChanged = true;
  }

  draw(context: SKRSContext2D): Area[] {
    return [
      ...this.#drawHeader(context),
      ...this.#drawTerminal(context),
      ...this.#drawChat(context),
      ...this.#drawFooter(context),
    ];
  }

  #drawHeader(context: SKRSContext2D): Area[] {
    const state = this.#header();
    const key = keyOf(state);
    if (key === this.#drawn.header) return [];
    this.#drawn.header = key;
    this.#backdrop.paintStage(context, layout.header);
    drawHeader(context, state, this.#palette);
    return [layout.header];
  }

  #drawTerminal(context: SKRSContext2D): Area[] {
    const { card } = this.#story;
    const title = this.#title();
    // A card is not drawn onto itself: its shadow would grow.
    const isCovered = card !== undefined && this.#isScreenChanged;
    const isNew = isCovered || card !== this.#drawn.card || title !== this.#drawn.title;
    if (isNew) {
      this.#backdrop.paintStage(context, layout.terminalWindow);
      this.#drawTitle(context, title);
      this.#screen.forget();
      this.#drawn.card = card;
      this.#drawn.title = title;
    }
    const rows = this.#isScreenChanged || isNew ? this.#paintRows(context) : undefined;
    this.#isScreenChanged = false;
    if (isNew && card !== undefined)
      clipped(context, layout.terminalWindow, () => drawToolCard(context, card, this.#palette));
    if (isNew) return [layout.terminalWindow];
    return rows === undefined ? [] : [rows];
  }

  #paintRows(context: SKRSContext2D): Area | undefined {
    return this.#screen.paint(context, this.#story.terminal.screen, layout.terminalRows);
  }

  #drawTitle(context: SKRSContext2D, title: string): void {
    const { x, y, width } = layout.titleBar;
    context.fillStyle = this.#palette.muted;
    drawText(context, ellipsized(context, title, width - 140, titleStyle), x + 100, y + 26, titleStyle);
  }

  #drawChat(context: SKRSContext2D): Area[] {
    const key = this.#chatKey();
    if (key === this.#drawn.chat && !this.#isScrolling) return [];
    this.#drawn.chat = key;
    this.#backdrop.paintStage(context, layout.chat);
    clipped(context, layout.chat, () =>
      this.#chat.paint(context, this.#story.conversation, layout.chat, this.#turn),
    );
    if (this.#chat.isCutAtTop) this.#backdrop.paintFade(context, layout.chat, 22);
    return [layout.chat];
  }

  #drawFooter(context: SKRSContext2D): Area[] {
    const state = this.#footer();
    const key = keyOf(state);
    if (key === this.#drawn.footer) return [];
    this.#drawn.footer = key;
    this.#backdrop.paintStage(context, layout.footer);
    drawFooter(context, state, this.#palette);
    return [layout.footer];
  }

  get #turn(): number {
    return (Math.floor(this.#nowMs / spinMs) % 8) / 8;
  }

  #chatKey(): string {
    const { blocks, version } = this.#story.conversation;
    return blocks.some(spins) ? `${version} ${this.#turn}` : String(version);
  }

  #title(): string {
    const { tool } = this.#story;
    const name = `${this.#story.facts.agentName}'s computer`;
    return tool === "" ? name : `${name} — ${shownTool(tool)}`;
  }

  #header(): HeaderState {
    const { facts, step, status, costUsd } = this.#story;
    return {
      agentName: facts.agentName,
      task: facts.task,
      model: facts.model ?? "",
      step: step === 0 ? "" : String(step),
      elapsed: clockTime(this.#clock.runTimeAt(this.#nowMs)),
      cost: costUsd === undefined ? "" : dollars(costUsd),
      status: statusWords[status] ?? status,
      statusTone: statusTones[status] ?? "good",
    };
  }

  #footer(): FooterState {
    const gap = this.#clock.gapAt(this.#nowMs);
    const { speed } = this.#clock;
    const { tool, activity, isOver } = this.#story;
    return {
      tool,
      activity: activity || (isOver ? "The run is over" : "Waiting for the model"),
      skipped: gap === undefined ? "" : duration(gap.pauseMs),
      speed: speed > 1 ? `${speed}×` : "",
      progress: Math.min(Math.floor((this.#clock.runTimeAt(this.#nowMs) / this.#runMs) * 320) / 320, 1),
    };
  }
}

const statusWords: Readonly<Record<string, string>> = {
  queued: "Queued",
  pending: "Starting",
  running: "Working",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
  blocked: "Blocked",
};

const statusTones: Readonly<Record<string, HeaderState["statusTone"]>> = {
  completed: "accent",
  failed: "bad",
  cancelled: "warn",
  blocked: "warn",
};

function spins(block: Block): boolean {
  if (block.kind === "call") return block.state === "running";
  if (block.kind === "thought") return block.tookMs === undefined;
  return block.kind === "todo" && block.items.some(({ status }) => status === "in_progress");
}

function keyOf(state: HeaderState | FooterState): string {
  return JSON.stringify(state);
}
