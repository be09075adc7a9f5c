import { eventSchemas, threadEventSchemas } from "@muster/wire/events";
import {
  count,
  flag,
  inline,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  Type,
  text,
} from "@muster/wire/schema";
import { waitPattern } from "../edge/errors/patterns.ts";
import { body, nextCursor, pageQuery, segmentOf, timeOf } from "./common.ts";
import { followUpExample, startThreadExample } from "./examples.ts";
import { fileReference } from "./files.ts";
import { uiMessage } from "./ui-message.ts";

const agentIdParam = segmentOf("The id of the workforce agent: that of the key.");

export const workforceAgentParams = Type.Object({ agentId: agentIdParam });

export const threadParams = Type.Object({
  agentId: agentIdParam,
  threadId: segmentOf("The id of the thread."),
});

/** Checked by the route: a malformed key has a code of its own. */
export const idempotencyHeaders = Type.Object({
  "idempotency-key": optional(
    text(
      "1 to 255 printable ASCII characters without spaces, such as a UUID. A repeat of the request with the same key returns the first one's thread and starts nothing.",
    ),
  ),
});

const model = (description: string) => text(description, { minLength: 1, maxLength: 200 });

/** Capabilities by their slug. */
export const capabilities = {
  ...Type.Unsafe<Record<string, boolean>>(
    Type.Object({}, { additionalProperties: Type.Boolean(), maxProperties: 100 }),
  ),
  description: "Capabilities that the definition declares, by their slug, and whether each is enabled.",
};

const runConfigFields = {
  model: optional(model("The model, `provider/model-id`.")),
  backupModel: optional(model("The model if the first one fails, `provider/model-id`.")),
  capabilities: optional(capabilities),
  record: optional(flag("Whether to record a video of the run.")),
};

export const runConfig = object(
  "RunConfig",
  "Settings of a run. What is absent is inherited from the agent.",
  {
    ...runConfigFields,
    thinking: optional(
      oneOf("How much the model reasons; `auto`: the model decides.", [
        "off",
        "low",
        "medium",
        "high",
        "xhigh",
        "max",
        "auto",
      ]),
    ),
    recordVisibility: optional(
      Type.Unknown({
        description:
          "Who may watch the video: `private` (the default) or `public`. Any value is ignored unless the run is recorded.",
      }),
    ),
  },
);

/** The same in a response, to which values can be added. */
export const storedRunConfig = object(
  "StoredRunConfig",
  "Settings of runs. What is absent is that of the definition.",
  {
    ...runConfigFields,
    thinking: optional(text("How much the model reasons.")),
    recordVisibility: optional(text("Who may watch the video.")),
  },
);

/** The longest message to a workforce agent. */
const maxMessageLength = 100_000;
const maxFiles = 20;

const messageFields = {
  message: text("The task for the agent.", { minLength: 1, maxLength: maxMessageLength }),
  files: optional(list("Files for the message.", fileReference, { maxItems: maxFiles })),
};

export const startThreadBody = body(
  "StartThreadRequest",
  "The message, and how to work on it.",
  startThreadExample,
  {
    ...messageFields,
    config: optional(runConfig),
    ifIdle: optional(
      flag(
        "Whether to refuse the message with 409 `AGENT_BUSY` if the agent has work, instead of queueing it. Default: false.",
      ),
    ),
    callback: optional(
      object("Callback", "Where the thread's events are sent, signed with the project's callback secret.", {
        url: text("An https URL at a public address, or on one of the hosts in `WEBHOOK_ALLOWED_HOSTS`.", {
          minLength: 1,
          maxLength: 2_000,
        }),
      }),
    ),
  },
);

export const followUpBody = body(
  "FollowUpRequest",
  "Another message of the conversation.",
  followUpExample,
  messageFields,
);

const threadId = text("The id of the thread.");

const threadStatus = text(
  "`idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up.",
  { examples: ["running"] },
);

export const threadStateReply = object("ThreadState", "The thread and its status.", {
  threadId,
  status: threadStatus,
});

const hiredFrom = nullable(
  "The pre-built agent that the agent was hired from; null if it was not hired from one.",
  Type.Object({
    slug: text("The slug of the pre-built agent."),
    version: integer("The version of its definition."),
  }),
);

const hardware = {
  kind: text("`dedicated`, `sandbox`, `mac` or `cli`; more can be added."),
  os: text("`linux`, `windows` or `macos`; more can be added."),
};

export const workforceAgentFields = {
  agentId: text("The id of the workforce agent."),
  name: text("Its name."),
  status: text(
    "`idle`, `busy` (a run is in flight or queued) or `unavailable` (no new run can start); more can be added.",
  ),
  unavailableReason: nullable(
    "`paused`, `computer_down`, `cli_only` or `limit_reached`; null unless it is unavailable.",
  ),
  currentThreadId: nullable(
    "The thread that occupies the agent: the running one, or else the next one; null for none.",
  ),
  queuedThreads: count("Threads that wait behind the current one."),
  computer: inline("The computer that the agent works on.", {
    ...hardware,
    id: optional(text("The computer that it shares with other agents; absent for a computer of its own.")),
    state: text("`running`, `starting`, `paused`, `down` or `none`; more can be added."),
  }),
  definition: hiredFrom,
  capabilities,
};

export const workforceAgentReply = object(
  "WorkforceAgent",
  "A workforce agent and its current status.",
  workforceAgentFields,
);

const usage = Type.Object({
  currency: text("`USD`."),
  costUsd: Type.Number({ description: "The charge of the model providers." }),
  totalFeeUsd: Type.Number({ description: "The same with the platform's bandwidth fee." }),
  byok: flag("True if all model calls used the project's own keys."),
  inputTokens: count("Sent to models, including those read from caches."),
  outputTokens: count("Written by models, including their reasoning."),
  totalTokens: count("Both."),
});

const recording = Type.Object({
  status: text("`requested`, `recording`, `processing`, `ready`, `failed` or `unavailable`."),
  visibility: text("`private` or `public`."),
  url: nullable(
    "The video, which needs no other credential; null until it is ready. `public`: permanent. `private`: works for 24 hours. Without `.webm`, it is the URL of a page that plays the video.",
  ),
  error: nullable("Why the run has no video; null unless it failed or is unavailable."),
});

const provenance = Type.Object({
  platform: inline("The platform.", {
    deployments: list(
      "Builds that executed steps of the thread, oldest first.",
      Type.Object({
        deploymentId: text("The id of the build."),
        commitSha: text("The commit that it was built from."),
        firstSeenAt: timeOf("When it first executed a step of the thread."),
      }),
    ),
  }),
  definition: hiredFrom,
  computer: nullable(
    "The computer as of the latest step; null if no step reached one.",
    Type.Object({
      ...hardware,
      runtimeVersion: text("The release of its runtime."),
      imageVersion: nullable("Its image or template."),
      region: nullable("The location of the computer."),
    }),
  ),
});

const waitingFor = nullable(
  "The decisions and results that a `queued` thread waits for; null if it waits for none. Its run continues by itself afterwards.",
  Type.Object({
    type: text("`approval` if users have to decide, otherwise `tool`; more can be added.", {
      examples: ["approval"],
    }),
    since: timeOf("When the run asked."),
    approvalIds: optional(list("The ids of the approvals.", text("An id.", { examples: ["apr_01jz8q"] }))),
    toolCallIds: optional(list("The calls whose services will send the results.", text("An id."))),
  }),
);

export const threadReply = object("Thread", "One conversation with a workforce agent.", {
  threadId,
  status: threadStatus,
  failureReason: nullable("Why the run stopped; null unless it failed or is blocked."),
  failureType: nullable(
    "The class of the failure, such as `timeout` or `limit`; null without a failure. More can be added.",
  ),
  messages: list("The conversation, oldest first.", uiMessage),
  runConfig: nullable("The settings that the runs of the thread have; null for none.", storedRunConfig),
  usage: nullable("The usage of the thread; null until there is any.", usage),
  recording: nullable("The video of the latest run; null if it was not recorded.", recording),
  startedAt: nullable(
    "When the first run reached the agent's computer; null before that.",
    timeOf("A time."),
  ),
  completedAt: nullable(
    "When the latest run reached its final status; null while one is in flight or waits.",
    timeOf("A time."),
  ),
  provenance: nullable("What produced the thread; null until a step has run.", provenance),
  waitingFor,
  origin: nullable(
    "What started the thread; null if a client did.",
    Type.Object({
      kind: text("`schedule` or `hook`; more can be added.", { examples: ["schedule"] }),
      id: text("The id of the schedule or hook, which may have been deleted since.", {
        examples: ["sch_01jz8q"],
      }),
    }),
  ),
});

export const deletedRecordingsReply = object("DeletedRecordings", "The recordings of the thread are gone.", {
  threadId,
  deleted: flag("True."),
});

export const threadQuery = Type.Object({
  wait: optional(
    text(
      "How many seconds to wait, from 0 to 30, for a change of the status or of the number of messages. Default: 0. A thread that is final is returned at once.",
      { pattern: waitPattern },
    ),
  ),
});

export const threadListQuery = Type.Object(pageQuery("threads", 50));

export const threadSummaryFields = {
  threadId,
  status: threadStatus,
  title: text("The first words of the first message."),
  createdAt: timeOf("When the thread was started."),
  completedAt: nullable("As in `Thread`.", timeOf("A time.")),
  waitingFor,
};

export const threadListReply = object("ThreadList", "A page of threads.", {
  threads: list("Newest first.", object("ThreadSummary", "A thread in a list.", threadSummaryFields)),
  nextCursor,
});

const all = { ...eventSchemas, ...threadEventSchemas };

/** The success of the route that follows a thread. Only for the OpenAPI document. */
export const threadEventsReply = {
  description: [
    "Server-sent events, numbered within the thread: each has a line `id: <number>`, and a line `data: <JSON>` with the",
    "events of a trigger, and besides them `thread-status` and `computer-output`. At the end, the server sends",
    "`data: [DONE]`: the thread is final.",
  ].join(" "),
  content: {
    "text/event-stream": {
      schema: {
        title: "ThreadEvent",
        description: "An event of a thread; `type` names it.",
        oneOf: Object.values(all),
        discriminator: { propertyName: "type" },
      },
      example: { type: "thread-status", status: "running" },
    },
  },
};
