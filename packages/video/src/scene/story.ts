import { isPlainObject } from "@muster/language/json";
import { Conversation, type TodoItem, type Tone } from "../chat/conversation.ts";
import { duration } from "../frame/format.ts";
import { screenSize } from "../frame/layout.ts";
import type { RunFacts } from "../run-facts.ts";
import { TerminalFeed } from "../terminal/feed.ts";
import { noteOfOutput, shortPath, wordsOfCall } from "../tools/call-words.ts";
import { cardOfError, cardOfInput, cardOfOutput, type ToolCard } from "../tools/tool-card.ts";
import { Chapters } from "../words/chapters.ts";
import { plainOutput } from "../words/plain-output.ts";
import { Transcript } from "../words/transcript.ts";
import type { Clock } from "./clock.ts";
import { type EventRecord, numberOf, readRecord, recordOf, recordsOf, textOf } from "./record.ts";

const shell = "shell__run_command";
/** Calls and workers that are remembered by their id. */
const maxRemembered = 256;

interface Call {
  tool: string;
  startMs: number;
  runMs: number;
  hasPrinted: boolean;
  sentence: string;
}

type Handler = (story: Story, event: EventRecord, at: Moment) => void;

interface Moment {
  videoMs: number;
  runMs: number;
}

/** The state that the events of a run have led to: everything that a frame shows. */
export class Story {
  readonly conversation = new Conversation();
  readonly terminal: TerminalFeed;
  readonly chapters = new Chapters();
  readonly transcript = new Transcript();
  readonly facts: RunFacts;
  readonly #clock: Clock;
  readonly #calls = new Map<string, Call>();
  readonly #workers = new Map<string, string>();
  #outputOf = "";
  #hasUser = false;
  #lastLength = 0;
  card: ToolCard | undefined;
  readonly #pendingCards = new Map<string, ToolCard>();
  /** The status of the thread, as its events name it. */
  status = "pending";
  isOver = false;
  activity = "";
  tool = "";
  costUsd: number | undefined;
  step = 0;

  constructor(facts: RunFacts, clock: Clock) {
    this.facts = facts;
    this.#clock = clock;
    this.terminal = new TerminalFeed(screenSize, promptOf);
    this.chapters.begin(0, "Task");
    this.chapters.describe(facts.task);
  }

  /** Characters of the last message: how much there is to read at the end. */
  get lastLength(): number {
    return this.#lastLength;
  }

  /** Takes an event. Unknown and malformed events change nothing. */
  take(type: string, json: string, at: Moment): void {
    const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
    const event = handler === undefined ? undefined : readRecord(json);
    if (handler !== undefined && event !== undefined) handler(this, event, at);
  }

  /** No event follows. */
  end(videoMs: number): void {
    this.conversation.end();
    this.transcript.endAll(videoMs);
    this.isOver = true;
    this.tool = "";
    this.activity = "";
    this.status = this.facts.status;
  }

  begin(videoMs: number): void {
    if (this.step > 0) return;
    this.startStep(videoMs);
  }

  startStep(videoMs: number): void {
    this.step++;
    this.conversation.startStep();
    this.chapters.begin(videoMs, `Step ${this.step}`);
  }

  hear(text: string, files: readonly string[], { videoMs }: Moment): void {
    this.#hasUser = true;
    const names = files.map((name) => `📎 ${name.slice(0, 100)}`).join("\n");
    const whole = [text, names].filter((part) => part !== "").join("\n\n");
    this.conversation.say("user", whole);
    this.transcript.say(videoMs, "User", whole);
    this.#clock.wait(Math.min(600 + text.length * 8, 2500));
  }

  startText(id: string, event: EventRecord, at: Moment): void {
    this.begin(at.videoMs);
    if (!this.#hasUser) this.hear(this.facts.task, [], at);
    const block = this.conversation.startMessage(id, this.authorOf(event));
    if (textOf(event, "responseType") !== "") block.text.append("```json\n");
    this.activity = "Writing";
    this.tool = "";
    this.#remember(id, at);
  }

  addText(id: string, delta: string, event: EventRecord, at: Moment): void {
    if (this.conversation.find(id) === undefined) this.startText(id, event, at);
    const block = this.conversation.find(id);
    if (block?.kind !== "message") return;
    block.text.append(delta);
    this.conversation.changed(block);
    this.transcript.append(id, at.videoMs, this.authorOf(event) ?? this.facts.agentName, delta);
  }

  endText(id: string, at: Moment): void {
    const block = this.conversation.find(id);
    if (block?.kind !== "message") return;
    block.text.end();
    this.conversation.changed(block);
    this.transcript.end(id, at.videoMs);
    if (block.author === undefined) this.chapters.describe(block.text.opening);
    this.#lastLength = block.text.length;
    const readMs = Math.min(500 + block.text.length * 11, 3500);
    this.#clock.wait(readMs - (at.videoMs - (this.#calls.get(id)?.startMs ?? at.videoMs)));
  }

  startThought(id: string, event: EventRecord, at: Moment): void {
    this.begin(at.videoMs);
    if (!this.#hasUser) this.hear(this.facts.task, [], at);
    this.conversation.startThought(id, at.runMs);
    this.transcript.say(at.videoMs, this.authorOf(event) ?? this.facts.agentName, "(thinks)");
    this.activity = "Thinking";
    this.tool = "";
  }

  think(id: string, delta: string, event: EventRecord, at: Moment): void {
    if (this.conversation.find(id) === undefined) this.startThought(id, event, at);
    const block = this.conversation.find(id);
    if (block?.kind !== "thought") return;
    block.text.append(delta);
    this.conversation.changed(block);
  }

  endThought(id: string, at: Moment): void {
    const block = this.conversation.find(id);
    if (block?.kind !== "thought") return;
    block.text.end();
    block.tookMs = at.runMs - block.fromMs;
    this.conversation.changed(block);
  }

  prepareCall(event: EventRecord, at: Moment): void {
    const tool = textOf(event, "toolName");
    const id = textOf(event, "toolCallId");
    if (id === "" || this.#calls.has(id)) return;
    this.begin(at.videoMs);
    const words = wordsOfCall(tool, {});
    this.conversation.startCall(id, tool, words.detail || "…");
    this.tool = tool;
    this.activity = "Preparing a call";
  }

  startCall(id: string, tool: string, input: EventRecord, event: EventRecord, at: Moment): void {
    if (id === "" || this.#calls.has(id)) return;
    this.begin(at.videoMs);
    const { detail, activity, sentence } = wordsOfCall(tool, input);
    const block = this.conversation.find(id) ?? this.conversation.startCall(id, tool, detail);
    if (block.kind === "call") block.detail = detail;
    this.conversation.changed(block);
    this.tool = tool;
    this.activity = activity;
    this.#remember(id, at, tool, sentence);
    this.chapters.describe(sentence);
    if (tool === shell) {
      this.transcript.say(at.videoMs, "Terminal", `$ ${detail}`);
      this.#enterCommand(id, input, at);
    } else {
      this.transcript.say(at.videoMs, this.authorOf(event) ?? this.facts.agentName, sentence);
      this.#prepareCard(id, cardOfInput(tool, input));
    }
  }

  print(id: string, text: string): void {
    const call = this.#calls.get(id);
    if (call !== undefined) call.hasPrinted = true;
    this.#headOutput(id);
    this.terminal.output(text);
  }

  endCall(id: string, output: unknown, error: string | undefined, at: Moment): void {
    const call = this.#calls.get(id);
    const block = this.conversation.find(id);
    const record = isPlainObject(output) ? output : {};
    const tool = call?.tool ?? (block?.kind === "call" ? block.tool : "");
    const note = error === undefined ? noteOfOutput(tool, record) : "failed";
    const hasFailed = error !== undefined || note.startsWith("exit");
    if (block?.kind === "call") {
      const tookMs = call === undefined ? 0 : at.runMs - call.runMs;
      block.state = hasFailed ? "failed" : "done";
      block.note = note === "" && tookMs >= 1000 ? duration(tookMs) : note;
      this.conversation.changed(block);
    }
    if (tool === shell) this.#endCommand(id, call, record, note, error, at);
    else this.#endCard(id, output, error);
    if (this.tool === tool) this.tool = "";
    this.activity = "";
  }

  setStatus(status: string): void {
    this.status = status.slice(0, 24);
  }

  notice(text: string, tone: Tone, at: Moment): void {
    this.conversation.notice(text, tone);
    this.transcript.say(at.videoMs, this.facts.agentName, text);
  }

  nameWorker(id: string, slug: string): void {
    if (this.#workers.size >= maxRemembered) this.#workers.clear();
    this.#workers.set(id, slug.slice(0, 60));
  }

  authorOf(event: EventRecord): string | undefined {
    const id = textOf(event, "workerId");
    return id === "" ? undefined : (this.#workers.get(id) ?? "Sub-agent");
  }

  #enterCommand(id: string, input: EventRecord, { videoMs }: Moment): void {
    const command = textOf(input, "command");
    this.card = undefined;
    this.#outputOf = id;
    this.#clock.wait(Math.min(300 + command.length * 9, 1300));
    const durationMs = Math.max(this.#clock.waitMs - 200, 0);
    this.terminal.command(shortPath(textOf(input, "cwd")) || "~", command, { startMs: videoMs, durationMs });
  }

  #endCommand(
    id: string,
    call: Call | undefined,
    output: EventRecord,
    note: string,
    error: string | undefined,
    { videoMs }: Moment,
  ): void {
    const printed = textOf(output, "stdout") + textOf(output, "stderr");
    if (call?.hasPrinted !== true && printed !== "") this.print(id, printed);
    if (error !== undefined)
      this.terminal.note(`\x1b[31m✗ ${error.slice(0, 300).replace(/\s+/g, " ")}\x1b[m`);
    else if (note !== "") this.terminal.note(`\x1b[31m✗ ${note}\x1b[m`);
    this.transcript.say(videoMs, "Terminal", [note, plainOutput(printed)].join("\n"));
    this.#clock.wait(Math.min(500 + printed.length * 4, 1600));
  }

  /** When several commands run at once, a line names the command whose output follows. */
  #headOutput(id: string): void {
    if (this.#outputOf === id) return;
    this.#outputOf = id;
    const sentence = this.#calls.get(id)?.sentence.replace("Runs a command: ", "").slice(0, 60);
    if (sentence !== undefined) this.terminal.note(`\x1b[2m── ${sentence} ──\x1b[m`);
  }

  /** A card without lines waits for the result. */
  #prepareCard(id: string, card: ToolCard): void {
    if (this.#pendingCards.size >= 16) this.#pendingCards.clear();
    this.#pendingCards.set(id, card);
    if (card.lines.length > 0) this.#showCard(card, 900);
  }

  #showCard(card: ToolCard, readMs: number): void {
    this.card = card;
    this.#clock.wait(readMs);
  }

  #endCard(id: string, output: unknown, error: string | undefined): void {
    const pending = this.#pendingCards.get(id);
    if (pending === undefined) return;
    this.#pendingCards.delete(id);
    const card = error === undefined ? cardOfOutput(pending, output) : cardOfError(pending, error);
    this.#showCard(card, Math.min(900 + card.lines.length * 120, 2400));
  }

  #remember(id: string, { videoMs, runMs }: Moment, tool = "", sentence = ""): void {
    const [oldest] = this.#calls.keys();
    if (this.#calls.size >= maxRemembered && oldest !== undefined) this.#calls.delete(oldest);
    this.#calls.set(id, { tool, startMs: videoMs, runMs, hasPrinted: false, sentence });
  }
}

/** The events that a frame shows. Others only move the clock. */
const handlers: Readonly<Record<string, Handler>> = {
  "thread-status": (story, event) => story.setStatus(textOf(event, "status")),
  start: (story, _event, at) => story.begin(at.videoMs),
  "step-start": (story, event, at) => {
    if (!("workerId" in event)) story.startStep(at.videoMs);
  },
  "step-discard": (story) => story.conversation.discardStep(),
  "block-start": (story, event) => {
    if (textOf(event, "display") !== "hidden") story.activity = textOf(event, "description").slice(0, 200);
  },
  "block-end": (story, event, at) => {
    const message = recordOf(event, "message");
    if (message.role !== "user") return;
    const parts = recordsOf(message, "parts");
    const text = parts.map((part) => (part.type === "text" ? textOf(part, "text") : "")).join("");
    const files = parts.flatMap((part) => (part.type === "file" ? textOf(part, "filename") || "file" : []));
    if (text !== "" || files.length > 0) story.hear(text, files, at);
  },
  "text-start": (story, event, at) => story.startText(idOf(event), event, at),
  "text-delta": (story, event, at) => story.addText(idOf(event), textOf(event, "delta"), event, at),
  "text-end": (story, event, at) => story.endText(idOf(event), at),
  "reasoning-start": (story, event, at) => story.startThought(idOf(event), event, at),
  "reasoning-delta": (story, event, at) => story.think(idOf(event), textOf(event, "delta"), event, at),
  "reasoning-end": (story, event, at) => story.endThought(idOf(event), at),
  "tool-input-start": (story, event, at) => story.prepareCall(event, at),
  "tool-input-available": (story, event, at) =>
    story.startCall(
      textOf(event, "toolCallId"),
      textOf(event, "toolName"),
      recordOf(event, "input"),
      event,
      at,
    ),
  "tool-request": (story, event, at) => {
    for (const call of recordsOf(event, "toolCalls").slice(0, 32))
      story.startCall(
        textOf(call, "toolCallId"),
        textOf(call, "toolName"),
        recordOf(call, "args"),
        event,
        at,
      );
  },
  "tool-output-available": (story, event, at) =>
    story.endCall(textOf(event, "toolCallId"), event.output, undefined, at),
  "tool-output-error": (story, event, at) =>
    story.endCall(textOf(event, "toolCallId"), undefined, textOf(event, "error") || "The tool failed.", at),
  "computer-output": (story, event) => story.print(textOf(event, "toolCallId"), textOf(event, "text")),
  "todo-update": (story, event) =>
    story.conversation.todo(recordsOf(event, "todos").slice(0, 50).map(todoOf)),
  "worker-start": (story, event, at) => {
    const slug = textOf(event, "workerSlug") || "sub-agent";
    story.nameWorker(textOf(event, "workerId"), slug);
    story.notice(`Hands work to ${slug.slice(0, 60)}`, "plain", at);
  },
  "worker-result": (story, event, at) => {
    const error = textOf(event, "error");
    const name = story.authorOf(event) ?? "The sub-agent";
    if (error !== "") story.notice(`${name} failed: ${error}`, "bad", at);
  },
  "file-available": (story, event, at) =>
    story.notice(`📎 ${textOf(event, "filename") || textOf(event, "mediaType") || "A file"}`, "plain", at),
  usage: (story, event) => {
    const cost = recordOf(event, "cost");
    story.costUsd = numberOf(cost, "totalFee") ?? story.costUsd;
  },
  error: (story, event, at) => story.notice(textOf(event, "message") || "The run failed.", "bad", at),
};

function idOf(event: EventRecord): string {
  return `${textOf(event, "workerId")} ${textOf(event, "id")}`;
}

function todoOf(todo: EventRecord): TodoItem {
  const text = textOf(todo, "content").slice(0, 300);
  const status = textOf(todo, "status");
  const isKnown = status === "in_progress" || status === "completed" || status === "cancelled";
  return { text, status: isKnown ? status : "pending" };
}

function promptOf(directory: string): string {
  return `\x1b[1;34m${directory.slice(0, 40).replace(/[^\x20-\x7e]/g, "?")}\x1b[m \x1b[1;35m❯\x1b[m `;
}
