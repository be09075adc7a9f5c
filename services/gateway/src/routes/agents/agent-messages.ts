import type { MessageInitShape } from "@bufbuild/protobuf";
import { formatMessage, formatOf, isFormat } from "@muster/language/messages";
import { type DefinitionSchema, Format } from "@muster/proto/agents";
import type { Static } from "@muster/wire/schema";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import type { validateAgentBody } from "../../schemas/agents.ts";

/** The reference to an agent in RPCs, from the path and `?by=`. */
export function agentRef(id: string, by: "id" | "slug" | undefined) {
  return { by: by === "slug" ? { case: "slug" as const, value: id } : { case: "id" as const, value: id } };
}

/** The definition in a body, for the RPCs. An unknown format is sent as UNSPECIFIED. */
export function definitionOf({
  settings,
  protocol,
  prompts,
  references = [],
}: Static<typeof validateAgentBody>): MessageInitShape<typeof DefinitionSchema> {
  const format = isFormat(settings.format) ? formatMessage(settings.format) : Format.UNSPECIFIED;
  return { settings: { ...settings, format }, protocol, prompts, references };
}

/** The format of a stored agent, which always has one. */
export function storedFormatOf(message: Format | undefined) {
  const format = formatOf(message);
  if (format === undefined) throw internalProblem(new Error(`an agent has the unknown format ${message}`));
  return format;
}

/** The change and the number of warnings: "Agent created with 2 warnings". */
export function changeMessage(done: string, issues: ReadonlyArray<{ severity: string }>): string {
  const count = issues.filter(({ severity }) => severity === "warning").length;
  if (count === 0) return done;
  return `${done} with ${count === 1 ? "a warning" : `${count} warnings`}`;
}
