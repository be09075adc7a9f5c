import type { ContextManagement } from "../program.ts";
import { defaulted, object, optional } from "../readers/fields.ts";
import { workerName } from "../readers/name-readers.ts";
import { defined, made, type Reader } from "../readers/readers.ts";
import { integer } from "../readers/value-readers.ts";
import { placeOf } from "../yaml/syntax.ts";

const form = object({
  summarizerWorker: optional(
    workerName,
    "The declared worker that writes the summary. Default: the thread's own model.",
  ),
  thresholdPercent: defaulted(
    integer(1, 100),
    80,
    "How full the context window may get, in percent, before older turns are summarised.",
  ),
  recentPercent: defaulted(
    integer(0, 100),
    20,
    "The share of the context window, in percent, in which the latest turns stay unchanged.",
  ),
});

/** Reads `contextManagement` of a thread. */
export const contextManagement: Reader<ContextManagement> = made(form, (values, node, { report }) => {
  const { thresholdPercent, recentPercent } = values;
  if (recentPercent < thresholdPercent) return defined(values);
  const text = `recentPercent (${recentPercent}) must be less than thresholdPercent (${thresholdPercent}).`;
  report.add("WRONG_TYPE", placeOf(node, "recentPercent"), text);
  return undefined;
});
