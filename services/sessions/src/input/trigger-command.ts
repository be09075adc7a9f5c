import { create, type UnknownEnum } from "@bufbuild/protobuf";
import type { DynamicTool, FileRef, NewTurn, RunSettings } from "@muster/engine";
import type { JsonValue } from "@muster/language";
import {
  DisconnectPolicy,
  type FileReference,
  type Sender as SenderMessage,
  type ToolResult,
  type TriggerRequest,
  TriggerRequestSchema,
} from "@muster/proto/sessions";
import { checkUsd, Issues } from "@muster/rpc";
import type { StoredCommand, TurnOptions, UsageReport } from "../store/session-document.ts";
import { readDynamicTools } from "./dynamic-tools.ts";
import { type GivenResult, readToolResults } from "./tool-results.ts";
import { checkId, readObject } from "./values.ts";

const maxTriggerNameLength = 200;
const maxSenderTextLength = 200;
const maxSenderImageLength = 2_000;

/** A well-formed command of a caller. */
export type TriggerCommand = BeginCommand | ContinueCommand;

interface CommandBase {
  sessionId: string;
  /** The execution keeps running if the caller disconnects. */
  detached: boolean;
  /** A `usage` event follows `finish`. */
  reportsUsage: UsageReport;
  /** The most that the execution may cost. Absent: no limit. */
  maxUsd?: string;
  /** The minimum number of bytes that it adds to the session. */
  bytes: number;
  /** The same command, for the store. */
  stored: StoredCommand;
}

export interface BeginCommand extends CommandBase {
  type: "start";
  /** Empty: the input is a message to the trigger `user-message`. */
  triggerName: string;
  input: Record<string, JsonValue>;
  /** Absent: no message is removed. Null removes all. */
  rollbackAfterMessageId?: string | null;
  sender?: NonNullable<NewTurn["sender"]>;
  dynamicTools: DynamicTool[];
  /** The settings of a run of a workforce agent. */
  run?: RunSettings;
  /** Precedes the paths of issues: the place of the command in its request. Default: none. */
  within?: string;
}

export interface ContinueCommand extends CommandBase {
  type: "continue";
  /** Absent: the session's paused execution. */
  executionId?: string;
  /** Absent: any. */
  triggerName?: string;
  /** It continues a turn that asked, whose approvals are decided. Absent: one that waits for tool results. */
  isDecided?: true;
  /** The settings of a run of a workforce agent now: their rules for approvals apply. */
  run?: RunSettings;
  results: GivenResult[];
}

/** Throws INVALID_REQUEST with every issue. */
export async function readTriggerCommand(request: TriggerRequest): Promise<TriggerCommand> {
  const issues = new Issues();
  const isContinuation = request.toolResults.length > 0 || request.executionId !== undefined;
  checkId(issues, "sessionId", request.sessionId);
  const command = isContinuation
    ? await readContinuation(issues, request)
    : await readBeginning(issues, request);
  issues.refuse();
  return command;
}

/** The command of a request without tool results. The command is of no use if an issue is reported. */
export async function readBeginning(issues: Issues, request: TriggerRequest): Promise<BeginCommand> {
  const { input, sender, ...fields } = await readFields(issues, request);
  return {
    ...fields,
    type: "start",
    triggerName: request.triggerName,
    input,
    ...readRollback(request),
    ...(sender === undefined ? {} : { sender }),
  };
}

async function readContinuation(issues: Issues, request: TriggerRequest): Promise<ContinueCommand> {
  // They are ignored, but must be well-formed.
  const { input: _, sender: __, dynamicTools: ___, ...base } = await readFields(issues, request);
  if (request.executionId !== undefined) checkId(issues, "executionId", request.executionId);
  const results = await readToolResults(issues, request.toolResults);
  if (request.rollback !== undefined) {
    issues.add("rollbackAfterMessageId", "must not be combined with toolResults or executionId");
  }
  return { ...base, type: "continue", ...continuedNames(request), results };
}

async function readFields(issues: Issues, request: TriggerRequest) {
  const { sessionId, triggerName, rollback, usage, wantsResult, maxUsd } = request;
  checkUsd(issues, "maxUsd", maxUsd);
  issues.checkLength("triggerName", triggerName, { max: maxTriggerNameLength });
  const keep = rollback?.afterMessageId;
  if (keep !== undefined) checkId(issues, "rollbackAfterMessageId", keep);
  return {
    sessionId,
    reportsUsage: usage && wantsResult ? ("with-pauses" as const) : usage,
    input: await readObject(issues, "input", request.inputJson),
    dynamicTools: request.dynamicTools.length === 0 ? [] : readDynamicTools(issues, request.dynamicTools),
    sender: readSender(issues, request.sender),
    detached: readPolicy(issues, request.onDisconnect),
    ...(maxUsd !== undefined && { maxUsd }),
    bytes: bytesOf(request),
    stored: toStored(request),
  };
}

/** The minimum number of bytes that the results take. */
export function bytesOfResults(results: readonly ToolResult[]): number {
  return results.reduce((sum, { outcome }) => sum + Buffer.byteLength(outcome.value ?? ""), 0);
}

function bytesOf({ inputJson, toolResults }: TriggerRequest): number {
  return Buffer.byteLength(inputJson) + bytesOfResults(toolResults);
}

function continuedNames({ executionId, triggerName }: TriggerRequest) {
  return {
    ...(executionId === undefined ? {} : { executionId }),
    ...(triggerName === "" ? {} : { triggerName }),
  };
}

function readRollback({ rollback }: TriggerRequest) {
  return rollback === undefined ? {} : { rollbackAfterMessageId: rollback.afterMessageId ?? null };
}

function readSender(issues: Issues, sender: SenderMessage | undefined): BeginCommand["sender"] {
  if (sender === undefined) return undefined;
  const { id, name, image } = sender;
  issues.checkLength("sender.id", id ?? "", { max: maxSenderTextLength });
  issues.checkLength("sender.name", name ?? "", { max: maxSenderTextLength });
  issues.checkLength("sender.image", image ?? "", { max: maxSenderImageLength });
  return {
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(image === undefined ? {} : { image }),
  };
}

function readPolicy(issues: Issues, policy: DisconnectPolicy): boolean {
  switch (policy) {
    case DisconnectPolicy.UNSPECIFIED:
    case DisconnectPolicy.CANCEL:
      return false;
    case DisconnectPolicy.CONTINUE:
      return true;
    default:
      // A caller of another version can send a number that the enum does not contain.
      policy satisfies UnknownEnum;
      issues.add("onDisconnect", "must be cancel or continue");
      return false;
  }
}

type StoredResult = NonNullable<StoredCommand["results"]>[number];

/** The part of a request that is stored with its lease. */
export function toStored(request: TriggerRequest): StoredCommand {
  const { triggerName, inputJson: input, executionId, rollback, sender, dynamicTools, toolResults } = request;
  const stored: StoredCommand = { triggerName, input };
  if (rollback !== undefined) stored.keepUpTo = rollback.afterMessageId ?? null;
  if (executionId !== undefined) stored.executionId = executionId;
  if (sender !== undefined) stored.sender = senderOf(sender);
  if (toolResults.length > 0) stored.results = toolResults.map(toStoredResult);
  if (dynamicTools.length > 0) {
    stored.dynamicTools = dynamicTools.map(({ name, description, inputSchemaJson: inputSchema }) => ({
      ...{ name, description, inputSchema },
    }));
  }
  return stored;
}

/** The request again. */
export function fromStored(
  sessionId: string,
  { triggerName, input, keepUpTo, sender, dynamicTools = [], executionId, results = [] }: StoredCommand,
  { detached, reportsUsage }: TurnOptions,
): TriggerRequest {
  return create(TriggerRequestSchema, {
    sessionId,
    triggerName,
    inputJson: input,
    toolResults: results.map(fromStoredResult),
    ...(executionId !== undefined && { executionId }),
    ...(keepUpTo !== undefined && { rollback: keepUpTo === null ? {} : { afterMessageId: keepUpTo } }),
    ...(sender !== undefined && { sender }),
    dynamicTools: dynamicTools.map(({ name, description, inputSchema }) => ({
      ...{ name, description, inputSchemaJson: inputSchema },
    })),
    onDisconnect: detached ? DisconnectPolicy.CONTINUE : DisconnectPolicy.CANCEL,
    usage: reportsUsage !== false,
    wantsResult: reportsUsage === "with-pauses",
  });
}

function senderOf({
  id,
  name,
  image,
}: NonNullable<TriggerRequest["sender"]>): NonNullable<StoredCommand["sender"]> {
  return {
    ...(id !== undefined && { id }),
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
  };
}

function toStoredResult({ toolCallId, toolName, outcome, files }: TriggerRequest["toolResults"][number]) {
  const result: StoredResult = { toolCallId, toolName };
  if (files.length > 0) result.files = files.map(toStoredFile);
  if (outcome.case === "resultJson") result.result = outcome.value;
  else if (outcome.case === "error") result.error = outcome.value;
  return result;
}

/** The file as it is stored. */
export function toStoredFile({ id, mediaType, url, filename, size }: FileReference): FileRef {
  return {
    ...{ id, mediaType, url },
    ...(filename !== undefined && { filename }),
    ...(size !== undefined && { size: Number(size) }),
  };
}

function fromStoredResult({ toolCallId, toolName, result, error, files = [] }: StoredResult) {
  const call = {
    ...{ toolCallId, toolName },
    files: files.map(({ size, ...file }) => ({ ...file, ...(size !== undefined && { size: BigInt(size) }) })),
  };
  if (result !== undefined) return { ...call, outcome: { case: "resultJson" as const, value: result } };
  if (error === undefined) return call;
  return { ...call, outcome: { case: "error" as const, value: error } };
}
