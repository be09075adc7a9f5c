import { create } from "@bufbuild/protobuf";
import type { FileRef } from "@muster/engine";
import {
  DisconnectPolicy,
  type FileReference,
  type TriggerRequest,
  TriggerRequestSchema,
} from "@muster/proto/sessions";
import type { StoredCommand, TurnOptions } from "../store/session-document.ts";

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
