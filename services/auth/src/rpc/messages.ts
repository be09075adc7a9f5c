import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type ApiKey,
  ApiKeySchema,
  type Project,
  ProjectSchema,
  type ProviderKey,
  ProviderKeySchema,
} from "@muster/proto/auth";
import type { ApiKeyDocument, ProjectDocument } from "../store/documents.ts";
import type { StoredProviderKey } from "../store/provider-keys.ts";

export function toApiKey(key: ApiKeyDocument): ApiKey {
  return create(ApiKeySchema, {
    id: key._id,
    projectId: key.projectId,
    name: key.name,
    permissions: key.permissions,
    ...(key.agentId === undefined ? {} : { agentId: key.agentId }),
    createTime: timestampFromDate(key.createdAt),
    ...(key.expiresAt ? { expireTime: timestampFromDate(key.expiresAt) } : {}),
    ...(key.lastUsedAt ? { lastUseTime: timestampFromDate(key.lastUsedAt) } : {}),
    anyProject: key.anyProject,
  });
}

export function toProject(project: ProjectDocument): Project {
  return create(ProjectSchema, {
    id: project._id,
    name: project.name,
    createTime: timestampFromDate(project.createdAt),
    limits: { ...project.limits },
  });
}

export function toProviderKey({ provider, lastFour, createdAt, updatedAt }: StoredProviderKey): ProviderKey {
  return create(ProviderKeySchema, {
    provider,
    lastFour,
    createTime: timestampFromDate(createdAt),
    updateTime: timestampFromDate(updatedAt),
  });
}
