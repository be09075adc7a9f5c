import type { Definition } from "@muster/proto/agents";
import type { DefinitionSource } from "../index.ts";
import { formatOf } from "./format.ts";

/** A definition that the agents service has checked and stored. Throws if it has no settings or no known format. */
export function sourceOf({ settings, protocol, prompts, references }: Definition): DefinitionSource {
  const format = formatOf(settings?.format);
  if (settings === undefined || format === undefined) throw new Error("The definition has no known format");
  const { slug, name, description } = settings;
  return { settings: { slug, name, description, format }, protocol, prompts, references };
}
