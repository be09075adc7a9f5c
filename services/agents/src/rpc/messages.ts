import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { formatMessage } from "@muster/language/messages";
import {
  type Agent,
  AgentSchema,
  type AgentSummary,
  AgentSummarySchema,
  type AgentVersion,
  AgentVersionSchema,
  type Settings,
  SettingsSchema,
} from "@muster/proto/agents";
import type { AgentDocument, StoredSettings, VersionDocument, VersionLine } from "../store/documents.ts";

export function toAgent(agent: AgentDocument, version: VersionDocument): Agent {
  const { protocol, prompts, references } = version;
  return create(AgentSchema, {
    id: agent._id,
    projectId: agent.projectId,
    version: version.version,
    definition: { settings: toSettings(version.settings), protocol, prompts, references },
    createdAt: timestampFromDate(agent.createdAt),
    updatedAt: timestampFromDate(agent.updatedAt),
  });
}

export function toSummary(agent: AgentDocument): AgentSummary {
  const { _id, projectId, settings, managed = false, createdAt, updatedAt } = agent;
  return create(AgentSummarySchema, {
    id: _id,
    projectId,
    settings: toSettings(settings),
    managed,
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  });
}

export function toVersion({ version, changes, createdAt }: VersionLine): AgentVersion {
  return create(AgentVersionSchema, { version, changes, createdAt: timestampFromDate(createdAt) });
}

function toSettings({ slug, name, description, format }: StoredSettings): Settings {
  const settings = { slug, name, format: formatMessage(format) };
  return create(SettingsSchema, description === undefined ? settings : { ...settings, description });
}
