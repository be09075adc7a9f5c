import { StreamedText } from "./streamed-text.ts";

export type CallState = "running" | "done" | "failed";
export type Tone = "plain" | "good" | "bad" | "warn";

export interface TodoItem {
  text: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** The contents of one row of the conversation. `version` changes with it. */
export type Block = { version: number; step: number } & (
  | { kind: "message"; role: "user" | "assistant"; author: string | undefined; text: StreamedText }
  | { kind: "thought"; text: StreamedText; fromMs: number; tookMs: number | undefined }
  | { kind: "call"; tool: string; detail: string; state: CallState; note: string }
  | { kind: "notice"; text: string; tone: Tone }
  | { kind: "todo"; items: TodoItem[] }
);
export type BlockOf<Kind extends Block["kind"]> = Extract<Block, { kind: Kind }>;

/** More never fit into the panel. */
const maxBlocks = 48;
/** Open texts and calls that are found by their id. */
const maxOpen = 64;

/** The conversation beside the terminal. Forgets what has scrolled out. */
export class Conversation {
  #blocks: Block[] = [];
  readonly #open = new Map<string, Block>();
  #changes = 0;
  #step = 0;

  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** Rises with every visible change. */
  get version(): number {
    return this.#changes;
  }

  say(role: "user" | "assistant", text: string, author?: string): void {
    const streamed = new StreamedText({ isInstant: true });
    streamed.append(text);
    streamed.end();
    this.#add({ kind: "message", role, author, text: streamed });
  }

  startMessage(id: string, author?: string): BlockOf<"message"> {
    const text = new StreamedText({ isInstant: false });
    const block = this.#add({ kind: "message", role: "assistant", author, text });
    this.#remember(id, block);
    return block;
  }

  startThought(id: string, nowMs: number): BlockOf<"thought"> {
    const text = new StreamedText({ isInstant: true });
    const block = this.#add({ kind: "thought", text, fromMs: nowMs, tookMs: undefined });
    this.#remember(id, block);
    return block;
  }

  startCall(id: string, tool: string, detail: string): BlockOf<"call"> {
    const block = this.#add({ kind: "call", tool, detail, state: "running", note: "" });
    this.#remember(id, block);
    return block;
  }

  notice(text: string, tone: Tone): void {
    this.#add({ kind: "notice", text, tone });
  }

  /** A list of things to do replaces the one before. */
  todo(items: TodoItem[]): void {
    this.#blocks = this.#blocks.filter(({ kind }) => kind !== "todo");
    this.#add({ kind: "todo", items });
  }

  find(id: string): Block | undefined {
    return this.#open.get(id);
  }

  changed(block: Block): void {
    block.version = ++this.#changes;
  }

  startStep(): void {
    this.#step++;
  }

  /** The text of the current step so far is taken back. */
  discardStep(): void {
    const step = this.#step;
    this.#blocks = this.#blocks.filter((block) => block.step !== step || isOfUser(block));
    this.#changes++;
  }

  /** Nothing follows: no text is left half written, and no call still runs. */
  end(): void {
    for (const block of this.#blocks) {
      if (block.kind === "message" || block.kind === "thought") block.text.end();
      else if (block.kind === "call" && block.state === "running") block.state = "failed";
      else continue;
      this.changed(block);
    }
  }

  /** Makes texts appear. */
  advance(passedMs: number): void {
    for (const block of this.#blocks)
      if (block.kind === "message" && block.text.advance(passedMs)) this.changed(block);
  }

  #add<Content extends BlockContent>(content: Content): Content & Pick<Block, "version" | "step"> {
    const block = { ...content, version: ++this.#changes, step: this.#step };
    this.#blocks.push(block);
    if (this.#blocks.length > maxBlocks) this.#blocks.splice(0, this.#blocks.length - maxBlocks);
    return block;
  }

  #remember(id: string, block: Block): void {
    this.#open.delete(id);
    this.#open.set(id, block);
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxOpen && oldest !== undefined) this.#open.delete(oldest);
  }
}

type WithoutMeta<T> = T extends Block ? Omit<T, "version" | "step"> : never;
type BlockContent = WithoutMeta<Block>;

function isOfUser(block: Block): boolean {
  return block.kind === "message" && block.role === "user";
}
