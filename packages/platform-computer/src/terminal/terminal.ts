import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** The place where the user sees the computer at work. */
export interface Terminal {
  /** Shows a line. Text of others in it has passed `plainText`. */
  line(text: string): void;
  /** Asks y/n; undefined without a user to ask. Rejects with the signal's reason if it aborts first. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<boolean>) | undefined;
  close(): void;
}

/** Lines wait here for a terminal that does not take them, and are dropped beyond. */
const maxWaitingBytes = 1024 * 1024;

/** `isInteractive`: whether a user can answer on the input. */
export function createTerminal(input: Readable, output: Writable, isInteractive: boolean): Terminal {
  let isDropping = false;
  const line = (text: string): void => {
    if (output.writableLength > maxWaitingBytes) {
      isDropping = true;
      return;
    }
    const time = new Date().toISOString().slice(11, 19);
    if (isDropping) output.write(`${time} (lines that the terminal did not take are not shown)\n`);
    isDropping = false;
    output.write(`${time} ${text}\n`);
  };
  // A reader that has gone, such as of a pipe, must not end the process.
  output.on("error", () => {});
  if (!isInteractive) return { line, ask: undefined, close() {} };
  const lines = createInterface({ input, terminal: false });
  let answered: ((answer: string) => void) | undefined;
  lines.on("line", (answer) => answered?.(answer));
  const nextLine = () =>
    new Promise<string>((resolve) => {
      answered = resolve;
    });
  let last: Promise<unknown> = Promise.resolve();
  const askNow = async (question: string, signal: AbortSignal): Promise<boolean> => {
    for (;;) {
      signal.throwIfAborted();
      output.write(`${question} [y/n] `);
      const answer = await Promise.race([nextLine(), aborted(signal)]);
      if (answer === undefined) {
        // An answer that the user types in this moment must not count for the next question.
        output.write("\nThis question is no longer open. Press Enter to continue. ");
        await nextLine();
        signal.throwIfAborted();
      } else if (/^\s*y(es)?\s*$/i.test(answer)) return true;
      else if (/^\s*no?\s*$/i.test(answer)) return false;
    }
  };
  return {
    line,
    ask(question, signal) {
      const asked = last.then(() => askNow(question, signal));
      last = asked.catch(() => {});
      // The call ends at once, although the user still has to press Enter.
      return Promise.race([asked, aborted(signal).then(() => Promise.reject(signal.reason))]);
    },
    close: () => lines.close(),
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
