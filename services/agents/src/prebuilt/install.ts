import { isDeepStrictEqual } from "node:util";
import type { DefinitionSource } from "@muster/language";
import type { Clock } from "@muster/service";
import type { AgentStore } from "../store/agents.ts";
import {
  type AgentDocument,
  type DefinitionPart,
  sourceOf,
  type VersionDocument,
  versionId,
} from "../store/documents.ts";
import { prebuiltAgentId, prebuiltProject } from "./prebuilt-project.ts";

const maxAttempts = 5;

export interface Destination {
  /** The store of pre-built agents. */
  agents: AgentStore;
  clock: Clock;
}

const parts = ["settings", "protocol", "prompts", "references"] as const;

/**
 * Stores the definitions as agents of no project. A folder that differs from the latest version becomes the next one: agents
 * that were hired from an earlier version keep it. Instances that install at the same time store each version once.
 */
export async function installPrebuilt(
  context: Destination,
  sources: readonly DefinitionSource[],
): Promise<void> {
  for (const source of sources) await installOne(context, source);
}

async function installOne({ agents, clock }: Destination, source: DefinitionSource): Promise<void> {
  const agentId = prebuiltAgentId(source.settings.slug);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const agent = await agents.find(prebuiltProject, agentId);
    const at = new Date(clock.now());
    if (agent === null) {
      const first = versionOf(source, agentId, 1, at, ["created"]);
      // Another instance may be storing the same: neither may remove what the other has written.
      await agents.insertVersion(first);
      await agents.insertHead(headOf(first));
      continue;
    }
    const latest = await agents.findVersion(prebuiltProject, agentId, agent.latestVersion);
    const changes = latest === null ? [...parts] : parts.filter((part) => differs(latest, source, part));
    if (changes.length === 0) return;
    const next = versionOf(source, agentId, agent.latestVersion + 1, at, changes);
    const inserted = await agents.insertVersion(next);
    // Another instance may have stored this number and died: its version is announced, then compared.
    const stored = inserted ? next : await agents.findVersion(prebuiltProject, agentId, next.version);
    if (stored !== null) await agents.announce(stored);
    if (inserted) return;
  }
  throw new Error(`The pre-built agent ${source.settings.slug} could not be installed.`);
}

function headOf({ agentId, settings, createdAt }: VersionDocument): AgentDocument {
  return {
    ...{ _id: agentId, projectId: prebuiltProject, slug: settings.slug, state: "active", latestVersion: 1 },
    settings,
    workers: [],
    createdAt,
    updatedAt: createdAt,
  };
}

function versionOf(
  source: DefinitionSource,
  agentId: string,
  version: number,
  at: Date,
  changes: VersionDocument["changes"],
): VersionDocument {
  const { slug, name, description, format } = source.settings;
  return {
    ...{ _id: versionId(agentId, version), agentId, projectId: prebuiltProject, version },
    settings: { slug, name, format, ...(description !== undefined && { description }) },
    protocol: source.protocol,
    prompts: source.prompts.map((prompt) => ({ ...prompt })),
    references: source.references.map((reference) => ({ ...reference })),
    workers: [],
    changes,
    createdAt: at,
  };
}

function differs(latest: VersionDocument, source: DefinitionSource, part: DefinitionPart): boolean {
  return !isDeepStrictEqual(plain(sourceOf(latest)[part]), plain(source[part]));
}

/** Without differences that only the store makes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
