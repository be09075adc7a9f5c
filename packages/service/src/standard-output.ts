import { write, writeSync } from "node:fs";
import type { DestinationStream } from "pino";
import { type LogSink, LogWriter } from "./log-writer.ts";
import { terminalLine } from "./terminal-line.ts";

/** A write for each line would cost many times as much as the line itself. */
const batchLength = 16 * 1024;
const batchMs = 100;
const warnLevel = 40;
const standardOutputFd = 1;

/** Standard output: lines of the log, and texts for the user between them. */
export interface StandardOutput extends DestinationStream {
  /** Prints a text, unchanged, and a line break. */
  print(text: string): void;
}

let shared: StandardOutput | undefined;

/** The process has only one. `name`: the program's, for the lines about the log itself. */
export function standardOutput(name: string): StandardOutput {
  shared ??= createStandardOutput(name);
  return shared;
}

/**
 * Never blocks or fails: neither a reader that has stopped or gone nor a full disk may stop the process. Lines are
 * written together, the last ones when the process exits.
 */
function createStandardOutput(name: string): StandardOutput {
  // Reading the property also makes Node switch a pipe to writes that do not block.
  const isTerminal = process.stdout.isTTY;
  const shown = (line: string) => (isTerminal ? terminalLine(line) : line);
  const writer = new LogWriter(sink, (dropped) => shown(gapLine(name, dropped)));
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== "") writer.write(waiting);
    waiting = "";
  };
  process.prependListener("beforeExit", send);
  process.prependListener("exit", () => {
    send();
    writer.flushAtExit();
  });
  return {
    write: (line) => {
      waiting += shown(line);
      if (waiting.length >= batchLength) send();
      else timer ??= setTimeout(send, batchMs).unref();
    },
    print: (text) => {
      waiting += `${text}\n`;
      send();
    },
  };
}

const sink: LogSink = {
  write: (bytes, done) => write(standardOutputFd, bytes, done),
  writeSync: (bytes) => writeSync(standardOutputFd, bytes),
  sleepSync: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  nowMs: () => performance.now(),
};

function gapLine(name: string, dropped: number): string {
  const time = new Date().toISOString();
  const msg = "lines were dropped: standard output did not accept them; check its disk or its reader";
  return `${JSON.stringify({ level: warnLevel, time, name, dropped, msg })}\n`;
}
