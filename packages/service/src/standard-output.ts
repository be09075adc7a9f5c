import { type DestinationStream, pino } from "pino";
import { terminalLine } from "./terminal-line.ts";

/** A reader of standard output that has stopped must not fill the memory: beyond this, lines are dropped. */
export const maxWaitingLogBytes = 16 * 1024 * 1024;

/** A write for each line would cost many times as much as the line itself. */
const batchLength = 16 * 1024;
const batchMs = 100;

/**
 * Standard output as the destination of a log. Never blocks: a full pipe would stop the whole process. Lines are
 * written together, the last ones when the process exits.
 */
export function createStandardOutput(): DestinationStream & { flushSync(): void } {
  const output = pino.destination({ dest: 1, sync: false, maxLength: maxWaitingLogBytes });
  const isTerminal = process.stdout.isTTY;
  let waiting = "";
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== "") output.write(waiting);
    waiting = "";
  };
  const flushSync = () => {
    send();
    output.flushSync();
  };
  // Before pino's own listeners, which close the output.
  process.prependListener("beforeExit", send);
  process.prependListener("exit", flushSync);
  return {
    write: (line) => {
      waiting += isTerminal ? terminalLine(line) : line;
      if (waiting.length >= batchLength) send();
      else timer ??= setTimeout(send, batchMs).unref();
    },
    flushSync,
  };
}
