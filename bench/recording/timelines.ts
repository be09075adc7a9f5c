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

/** Collects the events of a run with their times. */
function startRun() {
  const events: TimelineEvent[] = [];
  let atMs = 0;
  let calls = 0;
  const add = (type: string, fields: object) =>
    void events.push({ atMs, type, json: JSON.stringify({ type, ...fields }) });
  const pause = (ms: number) => {
    atMs += ms;
  };
  const say = (count: number, msPerWord: number): void => {
    const id = `text-${++calls}`;
    add("text-start", { id });
    for (let index = 0; index < count; index++) {
      pause(msPerWord);
      add("text-delta", { id, delta: `${words[index % words.length]} ` });
    }
    add("text-end", { id });
  };
  /** A command that prints a number of pieces of so many lines. */
  const command = (pieces: number, linesPerPiece: number, msPerPiece: number): void => {
    const toolCallId = `call-${++calls}`;
    const call = { toolCallId, toolName: "shell__run_command" };
    add("tool-input-start", { ...call, display: "stream" });
    add("tool-input-available", { ...call, input: { command: `./follow --part ${calls}` } });
    for (let line = 0; line < pieces * linesPerPiece; line += linesPerPiece) {
      pause(msPerPiece);
      const lines = Array.from({ length: linesPerPiece }, (_, index) => lineAt(line + index));
      add("computer-output", { toolCallId, stream: "stdout", text: lines.join("") });
    }
    add("tool-output-available", { toolCallId, output: { exitCode: 0, stdout: "", stderr: "" } });
  };
  return { events, add, pause, say, command };
}

function lineAt(index: number): string {
  return `${log[index % log.length]} #${index}\n`;
}

/** A minute in which something changes nearly all the time: words of the agent, and a log that scrolls. */
export function minuteOfWork(): TimelineEvent[] {
  const { events, add, pause, say, command } = startRun();
  add("thread-status", { status: "running" });
  // Each step takes ten seconds.
  for (let step = 1; step <= 6; step++) {
    add("step-start", { step });
    pause(1000);
    say(60, 50);
    command(16, 3, 250);
    pause(2000);
  }
  add("thread-status", { status: "completed" });
  return events;
}

/** A run of a length whose commands print about so much. */
export function longRun(runMs: number, outputBytes: number): TimelineEvent[] {
  const { events, add, say, command } = startRun();
  const linesPerPiece = 40;
  const pieceBytes = linesPerPiece * (log.reduce((sum, line) => sum + line.length, 0) / log.length + 8);
  const pieces = Math.ceil(outputBytes / pieceBytes);
  const steps = Math.ceil(pieces / 40);
  add("thread-status", { status: "running" });
  for (let step = 1; step <= steps; step++) {
    add("step-start", { step });
    say(40, (runMs * 0.4) / steps / 40);
    command(40, linesPerPiece, (runMs / pieces) * 0.6);
  }
  add("thread-status", { status: "completed" });
  return events;
}
