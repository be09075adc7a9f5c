import { Format } from "@muster/proto/agents";
import { internalProblem } from "../../errors/from-rpc.ts";

export type FormatName = "interactive" | "worker";

const formats: Readonly<Record<FormatName, Format>> = {
  interactive: Format.INTERACTIVE,
  worker: Format.WORKER,
};

export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(formats, text);
}

export function toFormat(name: FormatName): Format {
  return formats[name];
}

export function formatName(format: Format | undefined): FormatName {
  if (format === Format.INTERACTIVE) return "interactive";
  if (format === Format.WORKER) return "worker";
  throw internalProblem(new Error(`an agent has the unknown format ${format}`));
}
