import type { ContextManagement } from "../program.ts";
import { defaulted, object, optional } from "../readers/fields.ts";
import { workerName } from "../readers/name-readers.ts";
import { defined, made, type Reader } from "../readers/readers.ts";
import { integer } from "../readers/value-readers.ts";
import { placeOf } from "../yaml/syntax.ts";

const form = object({
  summarizerWorker: optional(
    workerName,
    "The declared worker that writes the summary. Without it the thread's own model does.",
  ),
  thresholdPercent: defaulted(
    integer(1, 100),
    80,
    "How full the context window is, in percent, when older turns are folded.",
  ),
  recentPercent: defaulted(
    integer(0, 100),
    20,
    "How much of the context window, in percent, the latest turns keep as they are.",
  ),
});

/** Reads `contextManagement` of a thread. */
export const contextManagement: Reader<ContextManagement> = made(form, (values, node, { report }) => {
  const { thresholdPercent, recentPercent } = values;
  if (recentPercent < thresholdPercent) return defined(values);
  const text = `What is kept (${recentPercent} percent) must be less than the threshold (${thresholdPercent} percent).`;
  report.add("WRONG_TYPE", placeOf(node, "recentPercent"), text);
  return undefined;
});
