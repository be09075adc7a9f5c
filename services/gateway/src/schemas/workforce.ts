import { eventSchemas, threadEventSchemas } from "@muster/wire/events";
import { Type } from "@muster/wire/schema";
import { numberPatterns, waitPattern } from "../edge/errors/patterns.ts";
import { idSegment, nullable, text, timeOf } from "./common.ts";
import { followUpExample, startThreadExample } from "./examples.ts";
import { fileReference } from "./files.ts";
import { uiMessage } from "./ui-message.ts";

const agentIdParam = { ...idSegment, description: "The id of the workforce agent: that of the key." };

export const workforceAgentParams = Type.Object({ agentId: agentIdParam });

export const threadParams = Type.Object({
  agentId: agentIdParam,
  threadId: { ...idSegment, description: "The id of the thread." },
});

/** Checked by the route: a malformed key has a code of its own. */
export const idempotencyHeaders = Type.Object({
  "idempotency-key": Type.Optional(
    text(
      "1 to 255 printable ASCII characters without spaces, such as a UUID. A repeat of the request with the same key returns the first one's thread and starts nothing.",
    ),
  ),
});

const model = (description: string) => Type.String({ minLength: 1, maxLength: 200, description });

/** Capabilities by their slug. */
export const capabilities = {
  ...Type.Unsafe<Record<string, boolean>>(
    Type.Object({}, { additionalProperties: Type.Boolean(), maxProperties: 100 }),
  ),
  description: "Capabilities that the definition declares, by their slug, and whether each is enabled.",
};

const runConfigFields = {
  model: Type.Optional(model("The model, `provider/model-id`.")),
  backupModel: Type.Optional(model("The model if the first one fails, `provider/model-id`.")),
  capabilities: Type.Optional(capabilities),
  record: Type.Optional(Type.Boolean({ description: "Whether to record a video of the run." })),
};

export const runConfig = Type.Object(
  {
    ...runConfigFields,
    thinking: Type.Optional(
      Type.Enum(["off", "low", "medium", "high", "xhigh", "max", "auto"], {
        description: "How much the model reasons; `auto`: the model decides.",
      }),
    ),
    recordVisibility: Type.Optional(
      Type.Unknown({
        description:
          "Who may watch the video: `private` (the default) or `public`. Any value is ignored unless the run is recorded.",
      }),
    ),
  },
  { title: "RunConfig", description: "Settings of a run. What is absent is inherited from the agent." },
);

/** The same in a response, to which values can be added. */
export const storedRunConfig = Type.Object(
  {
    ...runConfigFields,
    thinking: Type.Optional(text("How much the model reasons.")),
    recordVisibility: Type.Optional(text("Who may watch the video.")),
  },
  { title: "StoredRunConfig", description: "Settings of runs. What is absent is that of the definition." },
);

/** The longest message to a workforce agent. */
const maxMessageLength = 100_000;
const maxFiles = 20;

const messageFields = {
  message: Type.String({
    minLength: 1,
    maxLength: maxMessageLength,
    description: "What the agent is to do.",
  }),
  files: Type.Optional(
    Type.Array(fileReference, { maxItems: maxFiles, description: "Files for the message." }),
  ),
};

export const startThreadBody = Type.Object(
  {
    ...messageFields,
    config: Type.Optional(runConfig),
    ifIdle: Type.Optional(
      Type.Boolean({
        description:
          "Whether to refuse the message with 409 `AGENT_BUSY` if the agent has work, instead of queueing it. Default: false.",
      }),
    ),
  },
  {
    title: "StartThreadRequest",
    description: "The message, and how to work on it.",
    examples: [startThreadExample],
  },
);

export const followUpBody = Type.Object(messageFields, {
  title: "FollowUpRequest",
  description: "Another message of the conversation.",
  examples: [followUpExample],
});

const threadId = text("The id of the thread.");

const threadStatus = Type.String({
  description:
    "`idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up.",
  examples: ["running"],
});

export const threadStateReply = Type.Object(
  { threadId, status: threadStatus },
  { title: "ThreadState", description: "The thread and its status." },
);

const hiredFrom = nullable(
  Type.Object({
    slug: text("The slug of the pre-built agent."),
    version: Type.Integer({ description: "The version of its definition." }),
  }),
  "The pre-built agent that the agent was hired from; null if it was not hired from one.",
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
    Type.String(),
    "`paused`, `computer_down`, `cli_only` or `limit_reached`; null unless it is unavailable.",
  ),
  currentThreadId: nullable(
    Type.String(),
    "The thread that occupies the agent: the running one, or else the next one; null for none.",
  ),
  queuedThreads: Type.Integer({ minimum: 0, description: "Threads that wait behind the current one." }),
  computer: Type.Object(
    { ...hardware, state: text("`running`, `starting`, `paused`, `down` or `none`; more can be added.") },
    { description: "The computer that the agent works on." },
  ),
  definition: hiredFrom,
  capabilities,
};

export const workforceAgentReply = Type.Object(workforceAgentFields, {
  title: "WorkforceAgent",
  description: "A workforce agent and its current status.",
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

const usage = Type.Object({
  currency: text("`USD`."),
  costUsd: Type.Number({ description: "What the model providers charge." }),
  totalFeeUsd: Type.Number({ description: "The same with the platform's bandwidth fee." }),
  byok: Type.Boolean({ description: "True if all model calls used the project's own keys." }),
  inputTokens: count("Sent to models, including those read from caches."),
  outputTokens: count("Written by models, including their reasoning."),
  totalTokens: count("Both."),
});

const recording = Type.Object({
  status: text("`requested`, `recording`, `processing`, `ready`, `failed` or `unavailable`."),
  visibility: text("`private` or `public`."),
  url: nullable(
    Type.String(),
    "The video, which needs no other credential; null until it is ready. `public`: permanent. `private`: works for 24 hours. Without `.webm`, it is the URL of a page that plays the video.",
  ),
  error: nullable(Type.String(), "Why the run has no video; null unless it failed or is unavailable."),
});

const provenance = Type.Object({
  platform: Type.Object(
    {
      deployments: Type.Array(
        Type.Object({
          deploymentId: text("The id of the build."),
          commitSha: text("The commit that it was built from."),
          firstSeenAt: timeOf("When it first executed a step of the thread."),
        }),
        { description: "Builds that executed steps of the thread, oldest first." },
      ),
    },
    { description: "The platform." },
  ),
  definition: hiredFrom,
  computer: nullable(
    Type.Object({
      ...hardware,
      runtimeVersion: text("The release of its runtime."),
      imageVersion: nullable(Type.String(), "Its image or template."),
      region: nullable(Type.String(), "Where it is."),
    }),
    "The computer as of the latest step; null if no step reached one.",
  ),
});

export const threadReply = Type.Object(
  {
    threadId,
    status: threadStatus,
    failureReason: nullable(Type.String(), "Why the run stopped; null unless it failed or is blocked."),
    failureType: nullable(
      Type.String(),
      "The class of the failure, such as `timeout` or `limit`; null without a failure. More can be added.",
    ),
    messages: Type.Array(uiMessage, { description: "The conversation, oldest first." }),
    runConfig: nullable(storedRunConfig, "The settings that the runs of the thread have; null for none."),
    usage: nullable(usage, "What the thread has used; null until then."),
    recording: nullable(recording, "The video of the latest run; null if it was not recorded."),
    startedAt: nullable(
      timeOf("A time."),
      "When the first run reached the agent's computer; null before that.",
    ),
    completedAt: nullable(
      timeOf("A time."),
      "When the latest run reached its final status; null while one is in flight or waits.",
    ),
    provenance: nullable(provenance, "What produced the thread; null until a step has run."),
  },
  { title: "Thread", description: "One conversation with a workforce agent." },
);

export const deletedRecordingsReply = Type.Object(
  { threadId, deleted: Type.Boolean({ description: "True." }) },
  { title: "DeletedRecordings", description: "The recordings of the thread are gone." },
);

export const threadQuery = Type.Object({
  wait: Type.Optional(
    Type.String({
      pattern: waitPattern,
      description:
        "How many seconds to wait, from 0 to 30, for a change of the status or of the number of messages. Default: 0. A thread that is final is returned at once.",
    }),
  ),
});

export const threadListQuery = Type.Object({
  limit: Type.Optional(
    Type.String({
      pattern: numberPatterns[100],
      description: "The largest number of threads to return, from 1 to 100. Default: 50.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: "`nextCursor` of the previous page." }),
  ),
});

export const threadListReply = Type.Object(
  {
    threads: Type.Array(
      Type.Object(
        {
          threadId,
          status: threadStatus,
          title: text("The first words of the first message."),
          createdAt: timeOf("When the thread was started."),
          completedAt: nullable(timeOf("A time."), "As in `Thread`."),
        },
        { title: "ThreadSummary", description: "A thread in a list." },
      ),
      { description: "Newest first." },
    ),
    nextCursor: nullable(Type.String(), "For the next page; null on the last one."),
  },
  { title: "ThreadList", description: "A page of threads." },
);

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
