import { Type } from "typebox";
import { idSegment, timestamp } from "./common.ts";

export const agentParams = Type.Object({ id: idSegment });

const by = Type.Optional(Type.Enum(["id", "slug"], { description: "What :id is; id unless given." }));

export const agentQuery = Type.Object({ by });

export const agentVersionQuery = Type.Object({
  by,
  version: Type.Optional(
    Type.String({ pattern: "^[1-9][0-9]{0,8}$", description: "The latest unless given." }),
  ),
});

const format = Type.Enum(["interactive", "worker"]);
const slug = Type.String({ pattern: "^[a-z0-9]+(-[a-z0-9]+)*$", maxLength: 64 });
const name = Type.String({ minLength: 1, maxLength: 100 });
const description = Type.String({ maxLength: 1_000 });
const protocol = Type.String({ description: "YAML, at most 128 KiB" });

const prompt = Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }), content: Type.String() });

const reference = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  description: Type.String({ maxLength: 1_000 }),
  content: Type.String(),
});

const prompts = Type.Array(prompt, { maxItems: 1_000 });
const references = Type.Array(reference, { maxItems: 1_000 });

export const createAgentBody = Type.Object({
  settings: Type.Object({ slug, name, description: Type.Optional(description), format }),
  protocol,
  prompts,
  references: Type.Optional(references),
});

export const updateAgentBody = Type.Object({
  settings: Type.Optional(
    Type.Object({
      name: Type.Optional(name),
      description: Type.Optional(Type.String({ maxLength: 1_000, description: "Empty removes it." })),
      format: Type.Optional(format),
      slug: Type.Optional(Type.Unknown({ description: "Refused: a slug never changes." })),
    }),
  ),
  protocol: Type.Optional(protocol),
  prompts: Type.Optional(prompts),
  references: Type.Optional(references),
});

export const agentChangeReply = Type.Object({ agentId: Type.String(), message: Type.String() });

export const agentReply = Type.Object({
  id: Type.String(),
  settings: Type.Object({
    slug: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    format,
  }),
  protocol: Type.String(),
  prompts: Type.Array(Type.Object({ name: Type.String(), content: Type.String() })),
  references: Type.Array(
    Type.Object({ name: Type.String(), description: Type.String(), content: Type.String() }),
  ),
});

export const agentListReply = Type.Object({
  agents: Type.Array(
    Type.Object({
      id: Type.String(),
      projectId: Type.String(),
      slug: Type.String(),
      name: Type.String(),
      description: Type.Union([Type.String(), Type.Null()]),
      format,
      createdAt: timestamp,
      updatedAt: timestamp,
    }),
  ),
});

export const agentVersionsReply = Type.Object({
  versions: Type.Array(
    Type.Object({ version: Type.Integer(), createdAt: timestamp, changes: Type.Array(Type.String()) }),
  ),
});
