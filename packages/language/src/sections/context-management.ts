import { contextKeysNotRunYet } from "../availability.ts";
import type { ContextManagement } from "../program.ts";
import { defaulted, object, optional } from "../readers/fields.ts";
import { workerName } from "../readers/name-readers.ts";
import { defined, made, type Reader, reader, wrongType } from "../readers/readers.ts";
import { integer } from "../readers/value-readers.ts";
import { placeOf } from "../yaml/syntax.ts";
import { reportNotAvailable } from "./report-not-available.ts";

/** A whole number of percent, or a fraction below 1 such as 0.8, as percent. */
function share(minPercent: number): Reader<number> {
  const percent = integer(minPercent, 100);
  return reader({ kind: "number", integer: false, min: 0, max: 100 }, (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    const isFraction = typeof value === "number" && value > 0 && value < 1;
    // Rounded, because 0.57 * 100 is 56.99999999999999.
    if (isFraction) return Number((value * 100).toFixed(6));
    if (typeof value === "number" && Number.isInteger(value)) return percent.read(node, context);
    return wrongType(
      node,
      context,
      `a whole number from ${minPercent} to 100 (percent), or a fraction below 1`,
    );
  });
}

const form = object({
  summarizerWorker: optional(
    workerName,
    "The declared worker that writes the summary. Default: the thread's own model.",
  ),
  thresholdPercent: defaulted(
    share(1),
    80,
    "How full the context window may get before older turns are summarised: in percent, or a fraction below 1.",
  ),
  recentPercent: defaulted(
    share(0),
    20,
    "The share of the context window in which the latest turns stay unchanged: in percent, or a fraction below 1.",
  ),
  recentWindow: optional(integer(0, 1_000_000), "How many of the latest messages stay unchanged."),
});

/** Reads `contextManagement` of a thread. */
export const contextManagement: Reader<ContextManagement> = made(form, (values, node, context) => {
  const { thresholdPercent, recentPercent, recentWindow } = values;
  if (recentWindow !== undefined) {
    const place = placeOf(node, "recentWindow");
    reportNotAvailable(
      contextKeysNotRunYet.recentWindow,
      "recentPercent decides what stays.",
      place,
      context,
    );
  }
  if (recentPercent < thresholdPercent) return defined(values);
  const text = `recentPercent (${recentPercent}) must be less than thresholdPercent (${thresholdPercent}).`;
  context.report.add("WRONG_TYPE", placeOf(node, "recentPercent"), text);
  return undefined;
});
