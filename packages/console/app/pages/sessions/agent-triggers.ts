import type { Agent } from "@muster/client";
import { compile } from "../agents/definition/compiler.ts";

export interface TriggerInput {
  name: string;
  description: string | undefined;
  kind: "text" | "number" | "flag" | "choice" | "files" | "json";
  choices: readonly string[];
  isRequired: boolean;
}

export interface AgentTrigger {
  name: string;
  inputs: readonly TriggerInput[];
}

/** The triggers of an agent with their inputs. */
export async function agentTriggers({
  settings,
  protocol,
  prompts,
  references,
}: Agent): Promise<AgentTrigger[]> {
  const { program } = await compile({ settings, protocol, prompts, references });
  if (program?.format !== "interactive") return [];
  return Object.entries(program.triggers).map(([name, { input }]) => ({
    name,
    inputs: Object.entries(input).map(([inputName, spec]) => ({
      name: inputName,
      description: spec.description,
      kind: kindOf(spec.type.kind, spec.enum !== undefined, isFiles(spec.type)),
      choices: (spec.enum ?? []).map(String),
      isRequired: !spec.optional && spec.default === undefined,
    })),
  }));
}

function isFiles(type: { kind: string; items?: { kind: string } }): boolean {
  return type.kind === "array" && type.items?.kind === "file";
}

function kindOf(type: string, isChoice: boolean, takesFiles: boolean): TriggerInput["kind"] {
  if (takesFiles) return "files";
  if (isChoice) return "choice";
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "flag" : "json";
}
