import type { Program } from "@muster/language";
import { agentOfKey } from "../api/agent-of-key.ts";
import { type Agent, byOf, getAgent } from "../api/agents.ts";
import { CliError, failure, usageError } from "../exit.ts";
import type { Api } from "../http/api.ts";

/** An agent to chat with or to run. */
export interface RunnableAgent {
  readonly id: string;
  /** The slug, or the id if the slug is not known. */
  readonly name: string;
  /** The slug or id to send. A restricted key sends the given slug, so that the server checks whose it is. */
  readonly ref: string;
  /** Undefined if the key may not read the definition. */
  readonly program: Program | undefined;
}

/** Finds an agent by slug or id, also with a key that is restricted to this agent. */
export async function findRunnableAgent(api: Api, name: string): Promise<RunnableAgent> {
  const found = await getAgent(api, name).catch((error: unknown) => {
    if (error instanceof CliError && error.code === "FORBIDDEN") return error;
    throw error;
  });
  if (found instanceof CliError) return agentOfRestrictedKey(api, name, found);
  return { id: found.id, ref: found.id, name: found.definition.settings.slug, program: await compile(found) };
}

async function agentOfRestrictedKey(api: Api, name: string, refusal: CliError): Promise<RunnableAgent> {
  const id = await agentOfKey(api);
  if (id === undefined) throw refusal;
  if (name === id || byOf(name) === "slug") return { id, name, ref: name, program: undefined };
  throw usageError(`The key in MUSTER_API_KEY is restricted to agent ${id}. This is another agent.`);
}

async function compile({ definition }: Agent): Promise<Program> {
  // Loaded only here: it takes longer to load than everything that the help of all commands needs.
  const { compileDefinition } = await import("@muster/language/compile");
  const compiled = compileDefinition(definition);
  if (compiled.ok) return compiled.program;
  const { slug } = definition.settings;
  const message = `This version of the command cannot compile the definition of ${slug}.`;
  throw failure("INVALID_DEFINITION", message, { issues: compiled.issues });
}
