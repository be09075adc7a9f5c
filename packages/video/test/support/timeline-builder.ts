import type { TimelineEvent } from "../../src/timeline-event.ts";

/** Writes a timeline as the product does: the same events with the same fields. */
export class TimelineBuilder {
  readonly events: TimelineEvent[] = [];
  #atMs = 0;
  #count = 0;
  #step = 0;
  #tokens = { inputTokens: 0, outputTokens: 0 };

  constructor(message: string) {
    this.add("thread-status", { status: "pending" });
    this.pause(180);
    this.add("thread-status", { status: "running" });
    this.add("start", { messageId: "msg_1", executionId: "exe_1" });
    this.add("block-start", {
      blockId: "blk_1",
      blockName: "Take the task",
      blockType: "add-message",
      display: "hidden",
    });
    const parts = [{ type: "text", text: message, status: "done" }];
    this.add("block-end", {
      blockId: "blk_1",
      message: { id: "msg_0", role: "user", parts, status: "done" },
    });
  }

  get atMs(): number {
    return this.#atMs;
  }

  pause(ms: number): this {
    this.#atMs += ms;
    return this;
  }

  add(type: string, fields: object): this {
    this.events.push({ atMs: Math.round(this.#atMs), type, json: JSON.stringify({ type, ...fields }) });
    return this;
  }

  /** The model is asked again. */
  step(): this {
    this.#step++;
    if (this.#step > 1) this.add("step-start", { step: this.#step });
    return this.add("block-start", {
      blockId: `blk_${++this.#count}`,
      blockName: "Work on it",
      blockType: "next-message",
      display: "stream",
    });
  }

  think(text: string, msPerWord = 35): this {
    return this.#stream("reasoning", text, msPerWord);
  }

  say(text: string, msPerWord = 40): this {
    return this.#stream("text", text, msPerWord);
  }

  call(toolName: string, input: object, body: (toolCallId: string) => unknown, error?: string): this {
    const toolCallId = `call_${++this.#count}`;
    this.add("tool-input-start", { toolCallId, toolName, display: "stream" });
    for (const piece of JSON.stringify(input).match(/.{1,24}/gs) ?? []) {
      this.pause(22).add("tool-input-delta", { toolCallId, inputTextDelta: piece });
    }
    this.add("tool-input-end", { toolCallId });
    this.add("tool-input-available", { toolCallId, toolName, input });
    this.add("finish", { finishReason: "tool-calls", executionId: "exe_1" });
    this.pause(90);
    const output = body(toolCallId);
    if (error === undefined) this.add("tool-output-available", { toolCallId, output });
    else this.add("tool-output-error", { toolCallId, error });
    return this;
  }

  /** A command, whose output arrives in pieces of `[pause, text]`. */
  run(command: string, output: ReadonlyArray<readonly [pauseMs: number, text: string]>, exitCode = 0): this {
    return this.call("shell__run_command", { command }, (toolCallId) => {
      for (const [pauseMs, text] of output)
        this.pause(pauseMs).add("computer-output", { toolCallId, stream: "stdout", text });
      return { exitCode, stdout: output.map(([, text]) => text).join(""), stderr: "" };
    });
  }

  usage(inputTokens: number, outputTokens: number, totalFee: number): this {
    this.#tokens = { inputTokens, outputTokens };
    return this.add("usage", {
      cost: { currency: "USD", providerFee: totalFee, bandwidthFee: 0, totalFee, byok: false },
      tokens: { ...this.#tokens, totalTokens: inputTokens + outputTokens },
    });
  }

  end(status: string): this {
    this.add("finish", { finishReason: "stop", executionId: "exe_1" });
    return this.add("thread-status", { status });
  }

  #stream(kind: "text" | "reasoning", text: string, msPerWord: number): this {
    const id = `${kind}_${++this.#count}`;
    this.add(`${kind}-start`, { id });
    for (const word of text.match(/\S+\s*|\s+/g) ?? [])
      this.pause(msPerWord).add(`${kind}-delta`, { id, delta: word });
    return this.add(`${kind}-end`, { id });
  }
}
