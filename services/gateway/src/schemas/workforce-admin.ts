import { flag, inline, integer, list, nullable, object, optional, Type, text } from "@muster/wire/schema";
import {
  approvalChanges,
  approvalRules,
  body,
  idOf,
  managed,
  nextCursor,
  openObjectOf,
  pageQuery,
  revision,
  segmentOf,
  slug,
  slugShown,
  timeOf,
} from "./common.ts";
import { createAgentKeyExample, hireAgentExample, updateHiredAgentExample } from "./examples.ts";
import { monthlyLimitChanges, monthlyLimitFields } from "./monthly-limits.ts";
import {
  capabilities,
  runConfig,
  storedRunConfig,
  threadSummaryFields,
  workforceAgentFields,
} from "./workforce.ts";

const id = segmentOf("The id of the workforce agent.");

export const hiredAgentParams = Type.Object({ id });

export const hiredAgentKeyParams = Type.Object({
  id,
  keyId: segmentOf("The id of the key."),
});

const name = text("The name of the agent.", { minLength: 1, maxLength: 100 });

const limitChanges = inline("The limits of the agent. 0 blocks every run.", monthlyLimitChanges);

export const hireAgentBody = body("HireAgentRequest", "The agent to hire.", hireAgentExample, {
  name,
  agentId: optional(
    idOf(
      "An interactive agent of the project whose trigger `user-message` has exactly one required input, a text. Send one of this, agentSlug and prebuilt.",
    ),
  ),
  agentSlug: optional(idOf("The slug of such an agent.")),
  prebuilt: optional(idOf("The slug of a pre-built agent.")),
  computer: optional(
    inline("The computer that the agent works on.", {
      kind: optional(text("Default: `sandbox`.", { maxLength: 64 })),
      os: optional(text("Default: `linux`.", { maxLength: 64 })),
    }),
  ),
  computerId: optional(idOf("A computer that several agents share, instead of `computer`.")),
  settings: optional(runConfig),
  capabilities: optional(capabilities),
  limits: optional(limitChanges),
  approvals: optional(approvalChanges),
  input: optional(openObjectOf("The input variables of the definition, for every thread.")),
  slug: optional({ ...slug, description: "Unique in the project. Default: derived from the name." }),
  managed: optional(managed),
  paused: optional(flag("True if it starts no runs at first. Default: false.")),
});

export const updateHiredAgentBody = body(
  "UpdateHiredAgentRequest",
  "Absent members stay unchanged; `settings` replaces all settings, `approvals` all rules.",
  updateHiredAgentExample,
  {
    name: optional(name),
    paused: optional(flag("True: the current run finishes, and no other starts.")),
    version: optional(
      Type.Union(
        [
          integer("A version of its definition.", { minimum: 1, maximum: 1_000_000_000 }),
          Type.Literal("latest"),
        ],
        {
          description:
            "The version of its definition for new threads, a number or `latest`. Threads that were started keep theirs.",
        },
      ),
    ),
    settings: optional(runConfig),
    capabilities: optional(capabilities),
    limits: optional(limitChanges),
    approvals: optional(approvalChanges),
    managed: optional(managed),
  },
);

const hiredAgentFields = {
  ...workforceAgentFields,
  projectId: text("The project of the agent."),
  slug: slugShown,
  definitionId: nullable("The agent of the project that it was hired from; null for a pre-built one."),
  definitionVersion: integer("The version of its definition that new threads get."),
  paused: flag("True if it starts no runs."),
  settings: storedRunConfig,
  limits: inline("The limits of the agent.", monthlyLimitFields),
  approvals: approvalRules,
  input: openObjectOf("The input variables of the definition, for every thread."),
  revision,
  managed,
  createdAt: timeOf("When it was hired."),
};

export const hiredAgentReply = object(
  "HiredAgent",
  "A workforce agent with everything that was set for it.",
  hiredAgentFields,
);

const warnings = list(
  "What will not work as the definition expects. Empty: nothing was found.",
  Type.Object({
    path: text("The member of the definition."),
    message: text("The consequence, and the remedy."),
  }),
);

export const updateHiredAgentReply = object("UpdatedHiredAgent", "The changed workforce agent.", {
  ...hiredAgentFields,
  warnings,
});

export const hireAgentReply = object("NewHiredAgent", "The new workforce agent.", {
  ...hiredAgentFields,
  warnings,
  key: text("The agent's first key, which is shown only once."),
});

export const hiredAgentListQuery = Type.Object(pageQuery("agents", 50));

export const hiredAgentListReply = object("HiredAgentList", "A page of workforce agents.", {
  agents: list("Newest first.", hiredAgentReply),
  nextCursor,
});

export const deletedAgentReply = object(
  "DeletedHiredAgent",
  "The agent, its threads, its computer and its keys are gone.",
  { agentId: text("The id of the workforce agent."), deleted: flag("True.") },
);

export const createAgentKeyBody = body("CreateAgentKeyRequest", "The new key.", createAgentKeyExample, {
  name: text("The purpose of the key.", { minLength: 1, maxLength: 100 }),
  expiresAt: optional(
    nullable("When the key stops working, in ISO 8601. Default: never.", Type.String({ maxLength: 64 })),
  ),
});

const agentKeyFields = {
  id: text("The id of the key."),
  name: text("The purpose of the key."),
  createdAt: timeOf("When the key was created."),
  expiresAt: nullable("When the key stops working; null for never.", timeOf("A time.")),
};

export const createAgentKeyReply = object("CreatedAgentKey", "The new key.", {
  ...agentKeyFields,
  key: text("The secret, which is shown only once."),
});

export const agentKeyListReply = object("AgentKeyList", "The keys of the workforce agent.", {
  keys: list(
    "Newest first.",
    object("AgentKey", "A key of a workforce agent, without its secret.", {
      ...agentKeyFields,
      lastUsedAt: nullable("When it was last used, to the minute; null for never.", timeOf("A time.")),
    }),
  ),
});

export const queueReply = object("WorkQueue", "The work of the agent.", {
  current: nullable("The thread that occupies the agent; null for none."),
  queued: list(
    "In the order in which they will run.",
    object("QueuedThread", "A thread that waits.", {
      threadId: text("The id of the thread."),
      position: integer("1 for the next one.", { minimum: 1 }),
      createdAt: timeOf("When the thread was started."),
    }),
  ),
});

export const projectThreadListQuery = Type.Object({
  agentId: optional(text("Only the threads of this workforce agent.", { maxLength: 200 })),
  status: optional(text("Only threads with this status.", { maxLength: 64 })),
  ...pageQuery("threads", 50),
});

export const projectThreadListReply = object("ProjectThreadList", "A page of threads.", {
  threads: list(
    "Newest first.",
    object("ProjectThreadSummary", "A thread in a list.", {
      agentId: text("The id of its workforce agent."),
      ...threadSummaryFields,
    }),
  ),
  nextCursor,
});

export const prebuiltListReply = object("PrebuiltList", "The pre-built agents.", {
  prebuilt: list(
    "By slug.",
    object("PrebuiltAgent", "An agent that ships with the platform.", {
      slug: text("For `prebuilt` when hiring."),
      version: integer("The latest version."),
      name: text("Its name."),
      description: text("What it does."),
    }),
  ),
});
