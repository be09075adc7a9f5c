import type { Format } from "@muster/language";
import { formatOf } from "@muster/language/messages";
import type { Format as FormatMessage } from "@muster/proto/agents";
import { internalProblem } from "../../edge/errors/from-rpc.ts";

/** The format of a stored agent, which always has one. */
export function storedFormatOf(message: FormatMessage | undefined): Format {
  const format = formatOf(message);
  if (format === undefined) throw internalProblem(new Error(`an agent has the unknown format ${message}`));
  return format;
}
