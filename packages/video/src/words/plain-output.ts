import { EscapeFilter } from "../terminal/escape-filter.ts";

/** So much of a command's output is read, and so much is shown. */
const maxRead = 16 * 1024;
const maxTold = 1000;

/**
 * The beginning of a command's output, as text: without colours, and of a line that was overwritten only the last
 * state.
 */
export function plainOutput(printed: string): string {
  const safe = new EscapeFilter().pass(printed.slice(0, maxRead));
  const [first = "", ...rest] = safe.split("\u001b");
  const text = [first, ...rest.map(withoutSequence)]
    .join("")
    .split("\n")
    .map((line) => line.trimEnd().slice(line.trimEnd().lastIndexOf("\r") + 1))
    .join("\n");
  return text.length > maxTold || printed.length > maxRead ? `${text.slice(0, maxTold)} …` : text;
}

/** The text after the sequence that it begins with. */
function withoutSequence(text: string): string {
  return text.replace(/^(?:\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~])/, "");
}
