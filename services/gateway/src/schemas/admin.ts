import { permissions } from "@muster/rpc";
import { flag, inline, list, nullable, object, optional, Type, text } from "@muster/wire/schema";
import { approvalChanges, approvalRules, body, revision, segmentOf, timeOf } from "./common.ts";
import {
  createKeyExample,
  createProjectExample,
  updateKeyExample,
  updateProjectExample,
} from "./examples.ts";
import {
  projectLimitChanges,
  projectLimitFields,
  spendingLimitChanges,
  spendingLimitFields,
} from "./monthly-limits.ts";
import { toolHostChanges, toolHosts } from "./tool-hosts.ts";

export const keyParams = Type.Object({ id: segmentOf("The id of the key.") });

const permissionNames = permissions.join(", ");

export const createKeyBody = body("CreateKeyRequest", "The scope of the new key.", createKeyExample, {
  name: text("The purpose of the key.", { minLength: 1, maxLength: 100 }),
  permissions: list(`Any of ${permissionNames}; admin implies all of them.`, Type.String({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 32,
  }),
  projectId: optional(
    nullable(
      "The project of the key. Default: that of the request.",
      Type.String({ minLength: 1, maxLength: 100 }),
    ),
  ),
  agentId: optional(
    nullable(
      "The id of the only agent that the key may use. It cannot be combined with `admin`, nor `approve` with `workforce` then. Default: any agent.",
      Type.String({ minLength: 1, maxLength: 100 }),
    ),
  ),
  agentSlug: optional(
    nullable(
      "The slug of that agent, instead of its id. Not for workforce agents, which have none.",
      Type.String({ minLength: 1, maxLength: 100 }),
    ),
  ),
  expiresAt: optional(
    nullable("When the key stops working, in ISO 8601. Default: never.", Type.String({ maxLength: 64 })),
  ),
  limits: optional(
    inline("The use of models with the key and its tokens. Default: not limited.", spendingLimitChanges),
  ),
});

export const updateKeyBody = body("UpdateKeyRequest", "Absent members stay unchanged.", updateKeyExample, {
  limits: optional(
    inline("The limits to change. Not for a key that may act in any project.", spendingLimitChanges),
  ),
});

const keyFields = {
  id: text("The id of the key."),
  name: text("The purpose of the key."),
  permissions: list("The permissions of the key.", Type.String()),
  projectId: text("The project of the key."),
  agentId: nullable("The only agent that the key may use; null for any."),
  createdAt: timeOf("When the key was created."),
  expiresAt: nullable("When the key stops working; null for never.", timeOf("A time.")),
  limits: inline("The use of models with the key and its tokens.", spendingLimitFields),
};

export const createKeyReply = object("CreatedKey", "The new key.", {
  ...keyFields,
  key: text("The secret, which is shown only once."),
});

export const listedKey = object("Key", "An API key without its secret.", {
  ...keyFields,
  lastUsedAt: nullable("When the key was last used, to the minute; null for never.", timeOf("A time.")),
  anyProject: flag("True for the bootstrap key, which may act in any project."),
});

export const keyListReply = object("KeyList", "The keys that the request's key may manage.", {
  keys: list("Newest first.", listedKey),
});

export const deleteKeyReply = object("DeletedKey", "The key no longer works.", {
  id: text("The id of the key."),
  deleted: flag("True."),
});

const maxRequestsPerMinute = 1_000_000_000;

const projectLimitsBody = {
  requestsPerMinute: optional(
    nullable(
      "Requests of all keys and tokens of the project per minute; null for the installation's limit.",
      Type.Integer({ minimum: 1, maximum: maxRequestsPerMinute }),
    ),
  ),
  ...projectLimitChanges,
};

export const createProjectBody = body("CreateProjectRequest", "The new project.", createProjectExample, {
  name: text("The name of the project.", { minLength: 1, maxLength: 100 }),
  limits: optional(inline("The limits of the project. Default: none.", projectLimitsBody)),
});

export const projectParams = Type.Object({ id: segmentOf("The id of the project.") });

export const updateProjectBody = body(
  "UpdateProjectRequest",
  "Absent members stay unchanged.",
  updateProjectExample,
  {
    name: optional(text("The new name.", { minLength: 1, maxLength: 100 })),
    limits: optional(
      inline("The limits to change. Needs a key that may act in any project.", projectLimitsBody),
    ),
    approvals: optional(approvalChanges),
    toolHosts: optional(toolHostChanges),
  },
);

export const projectReply = object("Project", "A project.", {
  id: text("The id of the project, for `X-Project-Id`."),
  name: text("The name of the project."),
  createdAt: timeOf("When it was created."),
  limits: inline("The limits of the project.", {
    requestsPerMinute: nullable(
      "Requests of all its keys and tokens; null for the installation's limit.",
      Type.Integer(),
    ),
    ...projectLimitFields,
  }),
  approvals: approvalRules,
  toolHosts,
  revision,
});

export const projectListReply = object("ProjectList", "The projects in which the key may act.", {
  projects: list("Oldest first.", projectReply),
});
