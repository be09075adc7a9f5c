import { type AuditEntry, auditIndex } from "@muster/events/audit";
import { type CollectionIndexes, deletion, unlessDuplicate } from "@muster/store";
import type { Db, Filter } from "mongodb";
import { type AgentDocument, type VersionDocument, versionId, type WorkerLine } from "./documents.ts";
import { agentOf, lineOf, type StoredAgent, type StoredVersion, versionOf } from "./stored-dates.ts";

/** Pre-built agents have collections of their own, so that no query of a project can find them. */
export type AgentKind = "own" | "prebuilt";

function collectionsOf(kind: AgentKind) {
  return kind === "own"
    ? { agents: "agents", versions: "agent_versions" }
    : { agents: "prebuilt_agents", versions: "prebuilt_agent_versions" };
}

export const agentIndexes: CollectionIndexes[] = [
  {
    collection: "agents",
    indexes: [
      {
        name: "active_slug",
        key: { projectId: 1, slug: 1 },
        unique: true,
        partialFilterExpression: { state: "active" },
      },
      { name: "project_state", key: { projectId: 1, state: 1, _id: -1 } },
      auditIndex,
    ],
  },
  {
    collection: "agent_versions",
    indexes: [{ name: "agent_version", key: { projectId: 1, agentId: 1, version: -1 } }],
  },
];

/** Identifies an agent in its project. A slug identifies active agents only. */
export type AgentKey = { id: string } | { slug: string };

export type AgentStore = ReturnType<typeof createAgentStore>;

export function createAgentStore(db: Db, kind: AgentKind = "own") {
  const names = collectionsOf(kind);
  const agents = db.collection<StoredAgent>(names.agents);
  const versions = db.collection<StoredVersion>(names.versions);

  const insertVersion = (version: VersionDocument) => unlessDuplicate(versions.insertOne(version));

  const insertHead = (agent: AgentDocument) => unlessDuplicate(agents.insertOne(agent));

  const findAgent = async (filter: Filter<StoredAgent>) => {
    const found = await agents.findOne(filter);
    return found && agentOf(found);
  };

  return {
    collection: agents,
    findActive: (projectId: string, key: AgentKey) =>
      findAgent({ projectId, state: "active", ...("id" in key ? { _id: key.id } : { slug: key.slug }) }),
    /** Finds archived agents, too. */
    find: (projectId: string, agentId: string) => findAgent({ _id: agentId, projectId }),
    /** Newest first. `onlyId`: no other agent. */
    listActive: (projectId: string, onlyId?: string) =>
      agents
        .find({ projectId, state: "active", ...(onlyId !== undefined && { _id: onlyId }) })
        .sort({ _id: -1 })
        .map(agentOf)
        .toArray(),
    /** The active agents with these slugs. */
    findWorkers: (projectId: string, slugs: readonly string[]) =>
      agents
        .find({ projectId, state: "active", slug: { $in: [...slugs] } })
        .project<WorkerLine>({ _id: 0, slug: 1, settings: 1, workers: 1 })
        .toArray(),
    findVersion: async (projectId: string, agentId: string, version: number) => {
      const found = await versions.findOne({ _id: versionId(agentId, version), projectId });
      return found && versionOf(found);
    },
    /** Versions 1 to `latestVersion`, newest first. */
    listVersions: (projectId: string, agentId: string, latestVersion: number) =>
      versions
        .find({ projectId, agentId, version: { $lte: latestVersion } })
        .project<Parameters<typeof lineOf>[0]>({
          _id: 0,
          version: 1,
          changes: 1,
          createdAt: 1,
          createTime: 1,
        })
        .sort({ version: -1 })
        .map(lineOf)
        .toArray(),
    // The version is written first: a crash in between leaves an unreachable document, not an agent without a version.
    /** False if an active agent of the project has the slug; then nothing remains stored. */
    create: async (agent: AgentDocument, first: VersionDocument) => {
      await insertVersion(first);
      const created = await insertHead(agent);
      if (!created) await versions.deleteOne({ _id: first._id, projectId: first.projectId });
      return created;
    },
    /** False if the agent, or an active one of the project with its slug, exists; then nothing is changed. */
    insertHead,
    /** False if another writer has stored that version; then nothing is changed. */
    insertVersion,
    /**
     * Makes a written version the current one if its predecessor still is. If a writer died before announcing its
     * version, the next writer does it instead; doing it twice changes nothing.
     */
    announce: async (next: VersionDocument) => {
      const { agentId, projectId, version, settings, workers = [], createdAt, entry } = next;
      await agents.updateOne(
        { _id: agentId, projectId, latestVersion: version - 1 },
        {
          $set: { latestVersion: version, settings, workers, updatedAt: createdAt },
          ...(entry && { $push: { audit: entry } }),
        },
      );
    },
    /** Whether a project as files manages it, which is part of no version. */
    mark: async (projectId: string, agentId: string, managed: boolean, entry: AuditEntry) => {
      await agents.updateOne(
        { _id: agentId, projectId, state: "active", managed: managed ? { $ne: true } : true },
        { $set: { managed }, $push: { audit: entry } },
      );
    },
    /**
     * Returns the agent afterwards: archived, or still active if `expectedVersion` is set and not the current one. Null
     * if the agent does not exist. Repeating it changes nothing.
     */
    archive: async (
      projectId: string,
      agentId: string,
      at: Date,
      entry: AuditEntry,
      expectedVersion?: number,
    ) => {
      const filter = { _id: agentId, projectId };
      const expected = expectedVersion === undefined ? {} : { latestVersion: expectedVersion };
      await agents.updateOne(
        { ...filter, ...expected, state: "active" },
        { $set: { state: "archived", archivedAt: at }, $push: { audit: entry } },
        deletion,
      );
      return await findAgent(filter);
    },
  };
}
