import { permissions } from "@muster/rpc";
import { Type } from "@muster/wire/schema";
import { idField, idSegment, nullable, text, timeOf } from "./common.ts";
import { createKeyExample, createProjectExample, updateProjectExample } from "./examples.ts";
import { monthlyLimitChanges, monthlyLimitFields } from "./monthly-limits.ts";

export const keyParams = Type.Object({ id: { ...idSegment, description: "The id of the key." } });

const permissionNames = permissions.join(", ");

export const createKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: "The purpose of the key." }),
    permissions: Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 32,
      description: `Any of ${permissionNames}; admin implies all of them.`,
    }),
    projectId: Type.Optional(nullable(idField, "The project of the key. Default: that of the request.")),
    agentId: Type.Optional(
      nullable(
        idField,
        "The id of the only agent that the key may use. It cannot be combined with `admin`. Default: any agent.",
      ),
    ),
    expiresAt: Type.Optional(
      nullable(Type.String({ maxLength: 64 }), "When the key stops working, in ISO 8601. Default: never."),
    ),
  },
  { title: "CreateKeyRequest", description: "The scope of the new key.", examples: [createKeyExample] },
);

const keyFields = {
  id: text("The id of the key."),
  name: text("The purpose of the key."),
  permissions: Type.Array(Type.String(), { description: "What the key may do." }),
  projectId: text("The project of the key."),
  agentId: nullable(Type.String(), "The only agent that the key may use; null for any."),
  createdAt: timeOf("When the key was created."),
  expiresAt: nullable(timeOf("A time."), "When the key stops working; null for never."),
};

export const createKeyReply = Type.Object(
  { ...keyFields, key: text("The secret, which is shown only once.") },
  { title: "CreatedKey", description: "The new key." },
);

const listedKey = Type.Object(
  {
    ...keyFields,
    lastUsedAt: nullable(timeOf("A time."), "When the key was last used, to the minute; null for never."),
    anyProject: Type.Boolean({ description: "True for the bootstrap key, which may act in any project." }),
  },
  { title: "Key", description: "An API key without its secret." },
);

export const keyListReply = Type.Object(
  { keys: Type.Array(listedKey, { description: "Newest first." }) },
  { title: "KeyList", description: "The keys that the request's key may manage." },
);

export const deleteKeyReply = Type.Object(
  { id: text("The id of the key."), deleted: Type.Boolean({ description: "True." }) },
  { title: "DeletedKey", description: "The key no longer works." },
);

export const createProjectBody = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100, description: "The name of the project." }) },
  { title: "CreateProjectRequest", description: "The new project.", examples: [createProjectExample] },
);

const maxRequestsPerMinute = 1_000_000_000;

export const projectParams = Type.Object({ id: { ...idSegment, description: "The id of the project." } });

export const updateProjectBody = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "The new name." })),
    limits: Type.Optional(
      Type.Object(
        {
          requestsPerMinute: Type.Optional(
            nullable(
              Type.Integer({ minimum: 1, maximum: maxRequestsPerMinute }),
              "Requests of all keys and tokens of the project per minute; null for the installation's limit.",
            ),
          ),
          ...monthlyLimitChanges,
        },
        {
          description:
            "The limits to change; the monthly ones hold for all its workforce agents together. Needs a key that may act in any project.",
        },
      ),
    ),
  },
  {
    title: "UpdateProjectRequest",
    description: "What is absent stays as it is.",
    examples: [updateProjectExample],
  },
);

export const projectReply = Type.Object(
  {
    id: text("The id of the project, for `X-Project-Id`."),
    name: text("The name of the project."),
    createdAt: timeOf("When it was created."),
    limits: Type.Object(
      {
        requestsPerMinute: nullable(
          Type.Integer(),
          "Requests of all its keys and tokens; null for the installation's limit.",
        ),
        ...monthlyLimitFields,
      },
      {
        description:
          "What the project may use; the monthly limits hold for all its workforce agents together.",
      },
    ),
  },
  { title: "Project", description: "A project." },
);

export const projectListReply = Type.Object(
  { projects: Type.Array(projectReply, { description: "Oldest first." }) },
  { title: "ProjectList", description: "The projects in which the key may act." },
);
