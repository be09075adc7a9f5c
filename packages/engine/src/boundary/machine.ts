import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type {
  Block,
  Display,
  HttpToolSpec,
  JsonObject,
  JsonValue,
  Program,
  Speed,
  WorkerProgram,
} from "@muster/language";
import type { HostedTools, ModelFailure } from "@muster/models";
import type { NewId } from "@muster/service";
import type { Conversation, FileRef } from "../conversation/conversation.ts";
import type { PromptFile } from "../conversation/files.ts";
import type { BoundedOutput } from "../prompt/tool-output.ts";
import type { StreamEvent } from "../shown/events.ts";
import type { Compaction } from "./compaction.ts";
import type { DynamicTool, Frame, PendingApproval, RunSettings } from "./frame.ts";

/**
 * The boundary between the pure core and the driver. The core has no clock, no randomness and no I/O of its own: it
 * receives inputs and returns effects. The driver (`../../driver`) carries them out and feeds the outcomes back. The
 * same inputs always produce the same effects and the same state.
 */
export interface Machine {
  /**
   * Takes one input and returns the effects, in order. The machine owns its state and changes it in place, because
   * it runs for every delta of every stream; `conversation` and `frame` may be read between calls. Throws
   * `PromptTooLargeError` if a prompt becomes too large with the first input.
   */
  advance(input: Input): Effect[];
  /** The current conversation, including deltas of a running step. */
  readonly conversation: Conversation;
  /** The turn's position: plain data, stored at every boundary, sufficient to continue in another process. */
  readonly frame: Frame;
  /** The block that is running or waits; undefined before the first and after the last. */
  readonly block: Block | undefined;
  /** The workers that run for the turn, by `workerId`. Undefined if the worker has ended. */
  worker(workerId: string): RunningWorker | undefined;
}

/** The same as of a machine. */
export type RunningWorker = Pick<Machine, "conversation" | "frame" | "block">;

/** The dependencies of a turn. `now` returns milliseconds since 1970. */
export interface MachineEnvironment {
  newId: NewId;
  now(): number;
  /** A stored message of at least this many characters ends before the turn's next step. Default: 16 KiB. */
  sealLength?: number;
  /** Stricter rules of the project's administrators for calls of tools, by name, namespace or pattern. Default: none. */
  ownersApprovals?: Readonly<Record<string, "ask" | "deny">>;
  /** False: the execution cannot wait for decisions, so calls that need one fail. Default: true. */
  canAsk?: boolean;
  /** The MCP servers of the project. Default: it has none. */
  remote?: RemoteServers;
  /** The context window of a model in tokens; undefined if it is not known. Default: none is. */
  contextWindow?(modelId: string): number | undefined;
}

export interface RemoteServers {
  /** The namespaces of all of them. */
  registered: readonly string[];
  /** Those whose tools are known, by namespace, or the sentence that says why they are not. Between two inputs, the driver may add others. */
  connected: ReadonlyMap<string, { tools: readonly RemoteTool[] } | { problem: string }>;
}

/** A tool of an MCP server. Its name is that for models: `namespace__tool`. */
export interface RemoteTool extends DynamicTool {
  /** The server's own name for it. */
  remoteName: string;
  /** It changes nothing, or doing it twice changes no more than once. */
  isRepeatable: boolean;
}

/** A call that another service runs for the platform. */
export interface RemoteCall {
  toolCallId: string;
  toolName: string;
  args: JsonValue;
  source: "llm" | "block";
  target: RemoteTarget;
}

/** `mcp-server`: connect to it, which has the names of its tools as the result. `http`: `tool` is declared so. */
export type RemoteTarget =
  | { type: "mcp"; namespace: string; tool: string }
  | { type: "mcp-server"; namespace: string }
  | { type: "http"; tool: string; http: HttpToolSpec };

export interface NewTurn {
  /** A program of either format. A worker's only turn runs its steps and ends with `worker-result`. */
  program: Program;
  conversation: Conversation;
  /** That many messages at its beginning are final: nothing needs to visit them. Default: 0. */
  finalLength?: number;
  executionId: string;
  /** Input variables of the session or worker. */
  sessionInput: Record<string, JsonValue>;
  /** Empty for a worker, which has no triggers. */
  triggerName: string;
  /** Checked against the trigger's declaration; `{}` for a worker. */
  triggerInput: Record<string, JsonValue>;
  /** The worker's slug, for `worker-start`. Required if the program is a worker. */
  workerSlug?: string;
  sender?: { id?: string; name?: string; image?: string };
  dynamicTools: DynamicTool[];
  /** The settings of a run of a workforce agent. */
  run?: RunSettings;
  /** The workers that the program can reach. Absent: none. */
  workers?: WorkerLibrary;
  /** The turn is stored before its first model call. */
  isStoredFirst?: boolean;
}

/** By slug. A worker that cannot be run is here with the reason. */
export type WorkerLibrary = ReadonlyMap<string, LibraryWorker>;

export type LibraryWorker = FoundWorker | MissingWorker;

export interface FoundWorker {
  agentId: string;
  agentVersion: number;
  program: WorkerProgram;
}

export interface MissingWorker {
  /** A sentence. */
  problem: string;
  /** It may be found later. */
  retryable: boolean;
}

export interface ToolOutcome {
  toolCallId: string;
  /** `files`: part of the result. Absent: none. */
  outcome: { type: "result"; result: JsonValue; files?: FileRef[] } | { type: "error"; error: string };
}

/** The service has accepted the call, and will answer it by this id. The turn waits for that as for a user's decision. */
export interface OpenCall {
  type: "open";
  callId: string;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * `isForeign`: its text was written by others than the users of the platform. Absent: that of MCP servers is. `isUnknown`: the call
 * was sent and not answered, so it may have had an effect.
 */
export type RemoteOutcome = (ToolOutcome["outcome"] | OpenCall) & {
  isForeign?: boolean;
  isUnknown?: boolean;
};

/** The outcome of a request for approval, or of an open call. */
export interface Decision {
  /** `answered`: only of an open call. */
  status: "approved" | "denied" | "answered" | "expired";
  /** The service's answer. Required if the call was answered. */
  outcome?: ToolOutcome["outcome"];
  /** ISO 8601. */
  decidedAt?: string;
  /** The principal, for the log. */
  decidedBy?: string;
  message?: string;
  /** Only approved: instead of the arguments that were asked for. Absent: unchanged. */
  args?: JsonValue;
}

/** A request for approval, as the users who decide see it. */
export interface RequestedApproval extends PendingApproval {
  args: JsonValue;
  /** SHA-256 of the arguments with sorted keys, in hexadecimal digits. */
  argumentsHash: string;
  /** Decides what users see of the call. */
  display: Display;
  /** JSON Schema that edited arguments must match. Absent: not known. */
  inputSchema?: JsonObject;
}

export type Input =
  /** First input of a new turn. `sessionId`: announced to a reader who does not know it yet. */
  | { type: "start"; sessionId?: string }
  /** First input of a continued turn. Pending calls without an outcome become `cancelled`. */
  | { type: "tool-results"; outcomes: ToolOutcome[] }
  /**
   * Repeats the calls in flight, because their process died. `lostEvents`: at least as many events may have been sent
   * that are not stored. `isUnsent`: no remote call has been made; otherwise only repeatable ones are made again, and those
   * in `open`, by their `toolCallId`, wait for their services.
   */
  | {
      type: "repeat-calls";
      lostEvents: number;
      isUnsent?: boolean;
      open?: ReadonlyMap<string, OpenCall>;
    }
  /** A part of the stream of a model call in flight. `workerId`: the worker that makes the call; absent: the turn itself. */
  | { type: "model-part"; workerId?: string; part: LanguageModelV4StreamPart }
  /** A model call in flight ended normally, after its `finish` part. */
  | { type: "model-done"; workerId?: string }
  /** A model call in flight failed. */
  | { type: "model-failed"; workerId?: string; failure: ModelFailure }
  /** The outcome of a remote call. */
  | { type: "remote-outcome"; workerId?: string; toolCallId: string; outcome: RemoteOutcome }
  /** First input of a turn that asks, by the ids of the approvals and open calls. Those without a decision have expired. */
  | { type: "decisions"; decisions: ReadonlyMap<string, Decision> }
  /** The caller left, cancelled or cleared: keep the output so far, close everything, end. Always the last input. */
  | { type: "abort" };

export type Effect =
  | { type: "emit"; event: StreamEvent }
  /** An event for the log that no user sees: the steps of hidden workers. */
  | { type: "note"; event: StreamEvent }
  /**
   * Call the model and feed its parts, then `model-done` or `model-failed`, all with this `workerId`. Workers call their
   * models at the same time. Such effects, and those of remote calls, are the last ones of their list.
   */
  | { type: "call-model"; workerId?: string; call: ModelCall }
  /** Make the remote call, once what precedes it is stored, and feed its `remote-outcome` with this `workerId`. */
  | { type: "call-remote"; workerId?: string; call: RemoteCall }
  /** Abort this model call in flight: the machine needs no more of it (the loop guard). */
  | { type: "drop-call"; workerId?: string }
  /** Store conversation and frame before continuing, then emit `persisted`. Follows everything that the list emits. */
  | { type: "save"; messageId: string }
  /**
   * The turn has ended or paused: store it, free the session, emit `persisted`, then emit `events`, which are true
   * only now; if it could not be stored, emit `failureEvents` instead. Always the last effect.
   */
  | {
      type: "end";
      outcome: "finished" | "paused" | "failed" | "aborted";
      messageId: string;
      events: StreamEvent[];
    }
  /** The turn asks users to decide about these calls. As an end otherwise. */
  | {
      type: "end";
      outcome: "asking";
      messageId: string;
      events: StreamEvent[];
      approvals: RequestedApproval[];
    };

export interface ModelCall {
  /** `provider/model-id`. */
  modelId: string;
  /** The call without the driver's additions (abort signal, headers). */
  options: Omit<LanguageModelV4CallOptions, "abortSignal" | "headers">;
  /** Results that are too long for the thread, of which the model reads the head and the tail. Absent: none. */
  boundedOutputs?: BoundedOutput[];
  /** The files that the prompt names; see `fileReference`. The driver puts their content in. Absent: none. */
  files?: PromptFile[];
  /** The part of the conversation that the model does not read. Absent: it reads everything. */
  compactions?: Compaction[];
  /** A hint for the author of the definition, in words for the log. Absent: nothing. */
  warning?: string;
  /** The call writes a summary: the first of its step, or the second, after a refusal. Absent: it is the step. */
  summary?: 1 | 2;
  /** Larger images among the files are scaled down, in pixels. Absent: they are sent unchanged. */
  maxImageDimension?: number;
  /** For provider-specific settings. */
  thinking?: string;
  cache?: string;
  speed?: Speed;
  /** Tools and skills that the provider runs. */
  hosted?: HostedTools;
}
