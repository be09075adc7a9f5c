import type { MessageInitShape } from "@bufbuild/protobuf";
import { formatMessage, isFormat } from "@muster/language/messages";
import { type DefinitionSchema, Format } from "@muster/proto/agents";
import type { Static } from "@muster/wire/schema";
import type { validateAgentBody } from "../../schemas/agents.ts";

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
