import type { TimelineEvent } from "@muster/video";

const words =
  "The release went out at noon and each retry holds a connection so the pool ran dry while 日本語 logs kept growing".split(
    " ",
  );
const log = [
  "\u001b[2m14:02:11\u001b[0m \u001b[32mINFO\u001b[0m  checkout request took 41 ms",
  "\u001b[2m14:02:11\u001b[0m \u001b[33mWARN\u001b[0m  pool is at 92 of 100 connections ⚠️",
  "\u001b[2m14:02:12\u001b[0m \u001b[31mERROR\u001b[0m payment declined, retrying (attempt 7)",
  "\u001b[2m14:02:12\u001b[0m \u001b[38;2;120;160;255mDEBUG\u001b[0m select id, state from orders where id = 7311",
];

/** Writes the events of a run with their times. */
class Run {
  readonly events: TimelineEvent[] = [];
  #atMs = 0;
  #calls = 0;

  get atMs(): number {
    return this.#atMs;
  }

  pause(ms: number): void {
    this.#atMs += ms;
  }

  add(type: string, fields: object): void {
    this.events.push({ atMs: this.#atMs, type, json: JSON.stringify({ type, ...fields }) });
  }

  say(count: number, msPerWord: number): void {
    const id = `text-${++this.#calls}`;
    this.add("text-start", { id });
    for (let index = 0; index < count; index++) {
      this.pause(msPerWord);
      this.add("text-delta", { id, delta: `${words[index % words.length]} ` });
    }
    this.add("text-end", { id });
  }

  /** A command that prints a number of pieces of so many lines. */
  command(pieces: number, linesPerPiece: number, msPerPiece: number): void {
    const toolCallId = `call-${++this.#calls}`;
    const call = { toolCallId, toolName: "shell__run_command" };
    this.add("tool-input-start", { ...call, display: "stream" });
    this.add("tool-input-available", { ...call, input: { command: `./follow --part ${this.#calls}` } });
    for (let piece = 0; piece < pieces; piece++) {
      this.pause(msPerPiece);
      const lines = Array.from({ length: linesPerPiece }, (_, line) => lineAt(piece * linesPerPiece + line));
      this.add("computer-output", { toolCallId, stream: "stdout", text: lines.join("") });
    }
    this.add("tool-output-available", { toolCallId, output: { exitCode: 0, stdout: "", stderr: "" } });
  }
}

function lineAt(index: number): string {
  return `${log[index % log.length]} #${index}\n`;
}

/** A minute in which something changes nearly all the time: words of the agent, and a log that scrolls. */
export function minuteOfWork(): TimelineEvent[] {
  const run = new Run();
  run.add("thread-status", { status: "running" });
  for (let step = 1; run.atMs < 60_000; step++) {
    run.add("step-start", { step });
    run.pause(1000);
    run.say(60, 50);
    run.command(16, 3, 250);
    run.pause(2000);
  }
  run.add("thread-status", { status: "completed" });
  return run.events;
}

/** A run of a length whose commands print about so much. */
export function longRun(runMs: number, outputBytes: number): TimelineEvent[] {
  const run = new Run();
  const linesPerPiece = 40;
  const pieceBytes = linesPerPiece * (log.reduce((sum, line) => sum + line.length, 0) / log.length + 8);
  const pieces = Math.ceil(outputBytes / pieceBytes);
  const steps = Math.ceil(pieces / 40);
  const msPerPiece = (runMs / pieces) * 0.6;
  run.add("thread-status", { status: "running" });
  for (let step = 1; step <= steps; step++) {
    run.add("step-start", { step });
    run.say(40, (runMs * 0.4) / steps / 40);
    run.command(40, linesPerPiece, msPerPiece);
  }
  run.add("thread-status", { status: "completed" });
  return run.events;
}
