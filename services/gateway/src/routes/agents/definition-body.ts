import type { MessageInitShape } from "@bufbuild/protobuf";
import { type DefinitionSchema, Format } from "@muster/proto/agents";
import type { Static } from "typebox";
import type { validateAgentBody } from "../../schemas/agents.ts";
import { isFormatName, toFormat } from "./agent-format.ts";

/** The definition that a body holds, for the RPCs. A format that there is not is sent as none. */
export function definitionOf({
  settings,
  protocol,
  prompts,
  references = [],
}: Static<typeof validateAgentBody>): MessageInitShape<typeof DefinitionSchema> {
  const format = isFormatName(settings.format) ? toFormat(settings.format) : Format.UNSPECIFIED;
  return { settings: { ...settings, format }, protocol, prompts, references };
}
