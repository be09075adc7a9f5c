import type { AuditEntry, AuditFields } from "@muster/events/audit";
import type { DefinitionSource, Format } from "@muster/language";

export interface StoredSettings {
  slug: string;
  name: string;
  description?: string;
  format: Format;
}

/** The head of an agent: its current version, and whether it is active. */
export interface AgentDocument extends AuditFields {
  _id: string;
  projectId: string;
  /** Unique among the active agents of the project. */
  slug: string;
  state: "active" | "archived";
  latestVersion: number;
  /** Settings of the latest version. */
  settings: StoredSettings;
  /** Slugs of the workers that the latest version declares. Absent in agents stored before this field existed. */
  workers?: string[];
  /** A project as files manages it. Absent: none does. */
  managed?: boolean;
  createdAt: Date;
  /** When the latest version was created. */
  updatedAt: Date;
  archivedAt?: Date;
}

/** The parts of a definition that can differ between versions. */
export type DefinitionPart = "settings" | "protocol" | "prompts" | "references";

/** One version, never changed once written. It is valid as soon as the head refers to it or to a later one. */
export interface VersionDocument {
  /** `<agentId>:<version>`: of two writers of one version, one succeeds. */
  _id: string;
  agentId: string;
  projectId: string;
  version: number;
  settings: StoredSettings;
  protocol: string;
  prompts: Array<{ name: string; content: string }>;
  references: Array<{ name: string; description: string; content: string }>;
  /** Slugs of the workers that it declares, for the head. */
  workers?: string[];
  changes: Array<DefinitionPart | "created">;
  /** Who wrote it, for the head to carry as soon as it refers to it. Absent from the first one. */
  entry?: AuditEntry;
  createdAt: Date;
}

export type VersionLine = Pick<VersionDocument, "version" | "changes" | "createdAt">;

/** The fields of an agent that other agents need to run it as a worker. */
export type WorkerLine = Pick<AgentDocument, "slug" | "settings" | "workers">;

export function versionId(agentId: string, version: number): string {
  return `${agentId}:${version}`;
}

/** The definition of a version, for the compiler. */
export function sourceOf({ settings, protocol, prompts, references }: VersionDocument): DefinitionSource {
  return { settings, protocol, prompts, references };
}
