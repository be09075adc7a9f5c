import { Type } from "@muster/wire/schema";
import { numberPatterns } from "../edge/errors/patterns.ts";
import { idField, idSegment, nullable, openObjectOf, text, timeOf } from "./common.ts";
import { createAgentKeyExample, hireAgentExample, updateHiredAgentExample } from "./examples.ts";
import { monthlyLimitChanges, monthlyLimitFields } from "./monthly-limits.ts";
import { capabilities, runConfig, storedRunConfig, workforceAgentFields } from "./workforce.ts";

const id = { ...idSegment, description: "The id of the workforce agent." };

export const hiredAgentParams = Type.Object({ id });

export const hiredAgentKeyParams = Type.Object({
  id,
  keyId: { ...idSegment, description: "The id of the key." },
});

const name = Type.String({ minLength: 1, maxLength: 100, description: "The name of the agent." });

const limitChanges = Type.Object(monthlyLimitChanges, {
  description: "What the agent may use. 0 blocks every run.",
});

export const hireAgentBody = Type.Object(
  {
    name,
    agentId: Type.Optional({
      ...idField,
      description:
        "An interactive agent of the project whose trigger `user-message` has exactly one required input, a text. Send either this or prebuilt.",
    }),
    prebuilt: Type.Optional({
      ...idField,
      description: "The slug of a pre-built agent. Send either this or agentId.",
    }),
    computer: Type.Optional(
      Type.Object(
        {
          kind: Type.Optional(Type.String({ maxLength: 64, description: "Default: `sandbox`." })),
          os: Type.Optional(Type.String({ maxLength: 64, description: "Default: `linux`." })),
        },
        { description: "The computer that the agent works on." },
      ),
    ),
    settings: Type.Optional(runConfig),
    capabilities: Type.Optional(capabilities),
    limits: Type.Optional(limitChanges),
    input: Type.Optional(openObjectOf("The input variables of the definition, for every thread.")),
  },
  { title: "HireAgentRequest", description: "The agent to hire.", examples: [hireAgentExample] },
);

export const updateHiredAgentBody = Type.Object(
  {
    name: Type.Optional(name),
    paused: Type.Optional(
      Type.Boolean({ description: "True: the current run finishes, and no other starts." }),
    ),
    settings: Type.Optional(runConfig),
    capabilities: Type.Optional(capabilities),
    limits: Type.Optional(limitChanges),
  },
  {
    title: "UpdateHiredAgentRequest",
    description: "What is absent stays as it is; `settings` replaces all settings.",
    examples: [updateHiredAgentExample],
  },
);

const hiredAgentFields = {
  ...workforceAgentFields,
  projectId: text("The project of the agent."),
  definitionId: nullable(
    Type.String(),
    "The agent of the project that it was hired from; null for a pre-built one.",
  ),
  paused: Type.Boolean({ description: "True if it starts no runs." }),
  settings: storedRunConfig,
  limits: Type.Object(monthlyLimitFields, { description: "What the agent may use." }),
  createdAt: timeOf("When it was hired."),
};

export const hiredAgentReply = Type.Object(hiredAgentFields, {
  title: "HiredAgent",
  description: "A workforce agent with everything that was set for it.",
});

export const hireAgentReply = Type.Object(
  { ...hiredAgentFields, key: text("The agent's first key, which is shown only once.") },
  { title: "NewHiredAgent", description: "The new workforce agent." },
);

export const hiredAgentListQuery = Type.Object({
  limit: Type.Optional(
    Type.String({
      pattern: numberPatterns[100],
      description: "The largest number of agents to return, from 1 to 100. Default: 50.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "`nextCursor` of the previous page." }),
  ),
});

export const hiredAgentListReply = Type.Object(
  {
    agents: Type.Array(hiredAgentReply, { description: "Newest first." }),
    nextCursor: nullable(Type.String(), "For the next page; null on the last one."),
  },
  { title: "HiredAgentList", description: "A page of workforce agents." },
);

export const deletedAgentReply = Type.Object(
  { agentId: text("The id of the workforce agent."), deleted: Type.Boolean({ description: "True." }) },
  { title: "DeletedHiredAgent", description: "The agent, its threads, its computer and its keys are gone." },
);

export const createAgentKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: "The purpose of the key." }),
    expiresAt: Type.Optional(
      nullable(Type.String({ maxLength: 64 }), "When the key stops working, in ISO 8601. Default: never."),
    ),
  },
  { title: "CreateAgentKeyRequest", description: "The new key.", examples: [createAgentKeyExample] },
);

const agentKeyFields = {
  id: text("The id of the key."),
  name: text("The purpose of the key."),
  createdAt: timeOf("When the key was created."),
  expiresAt: nullable(timeOf("A time."), "When the key stops working; null for never."),
};

export const createAgentKeyReply = Type.Object(
  { ...agentKeyFields, key: text("The secret, which is shown only once.") },
  { title: "CreatedAgentKey", description: "The new key." },
);

export const agentKeyListReply = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          ...agentKeyFields,
          lastUsedAt: nullable(timeOf("A time."), "When it was last used, to the minute; null for never."),
        },
        { title: "AgentKey", description: "A key of a workforce agent, without its secret." },
      ),
      { description: "Newest first." },
    ),
  },
  { title: "AgentKeyList", description: "The keys of the workforce agent." },
);

export const queueReply = Type.Object(
  {
    current: nullable(Type.String(), "The thread that occupies the agent; null for none."),
    queued: Type.Array(
      Type.Object(
        {
          threadId: text("The id of the thread."),
          position: Type.Integer({ minimum: 1, description: "1 for the next one." }),
          createdAt: timeOf("When the thread was started."),
        },
        { title: "QueuedThread", description: "A thread that waits." },
      ),
      { description: "In the order in which they will run." },
    ),
  },
  { title: "WorkQueue", description: "The work of the agent." },
);

export const prebuiltListReply = Type.Object(
  {
    prebuilt: Type.Array(
      Type.Object(
        {
          slug: text("For `prebuilt` when hiring."),
          version: Type.Integer({ description: "The latest version." }),
          name: text("Its name."),
          description: text("What it does."),
        },
        { title: "PrebuiltAgent", description: "An agent that ships with the platform." },
      ),
      { description: "By slug." },
    ),
  },
  { title: "PrebuiltList", description: "The pre-built agents." },
);
