import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ComputerTool } from "@muster/computers";
import type { MessageTrigger } from "@muster/language";
import {
  DisconnectPolicy,
  FileReferenceSchema,
  TriggerRequestSchema,
  UsageScope,
  WorkforceRunSchema,
} from "@muster/proto/sessions";
import { limitsMessage, type MonthlyLimits } from "@muster/rpc";
import type { AgentDocument } from "../../store/agent-document.ts";
import type { StoredMessage, ThreadDocument } from "../../store/thread-document.ts";
import type { Driver } from "../../store/thread-moves.ts";
import type { SessionCall } from "./call-session.ts";
import type { PerformedCall } from "./perform-calls.ts";
import type { Limits } from "./prepare.ts";

/** The parts of a call to the session that do not depend on the step. */
interface Common {
  agent: Pick<AgentDocument, "trigger" | "approvals">;
  thread: Pick<ThreadDocument, "sessionId" | "config" | "trigger">;
  driver: Driver;
  tools: readonly ComputerTool[];
  limits: Limits;
  requestId: string;
  /** The key that sent the message of the turn. */
  keyId?: string | undefined;
}

/** Begins the turn of a message. */
export function messageCall(common: Common, message: StoredMessage): SessionCall {
  const { id, files } = message;
  const { input, fileInput } = triggerOf(common);
  const sent = fileInput !== undefined && files.length > 0 ? { [fileInput]: files } : {};
  const call = callOf(common, {
    inputJson: JSON.stringify({ [input]: textFor(message), ...sent }),
    dynamicTools: common.tools.map(({ name, description, inputSchema }) => ({
      ...{ name, description, inputSchemaJson: JSON.stringify(inputSchema) },
    })),
    sender: { id },
  });
  call.run.isForeign = message.isForeign ?? false;
  call.run.files = files.map(({ size, ...file }) =>
    create(FileReferenceSchema, { ...file, ...(size !== undefined && { size: BigInt(size) }) }),
  );
  return call;
}

/** The model learns where the files are before it reads the message, which stays unchanged. */
function textFor({ text, files, paths = [] }: StoredMessage): string {
  if (paths.length === 0) return text;
  const lines = paths.map((path, index) => `- ${path} (${files[index]?.mediaType})`);
  return ["Files for this message, on your computer:", ...lines, "", text].join("\n");
}

/** Continues the turn with the results of its tool calls. */
export function resultsCall(common: Common, toolResults: PerformedCall[]): SessionCall {
  return callOf(common, { toolResults });
}

/** Continues a turn that asked users to decide about calls, after all decisions. */
export function decidedCall(common: Common, executionId: string): SessionCall {
  return callOf(common, { executionId });
}

/** An agent that has moved to another version can have another one than its earlier threads. */
function triggerOf({ agent, thread }: Common): MessageTrigger {
  return thread.trigger ?? agent.trigger;
}

function callOf(common: Common, step: MessageInitShape<typeof TriggerRequestSchema>): SessionCall {
  const { agent, thread, driver, limits, requestId, keyId } = common;
  const { model, backupModel, thinking, capabilities = {} } = thread.config;
  const request = create(TriggerRequestSchema, {
    ...step,
    sessionId: thread.sessionId,
    triggerName: triggerOf(common).name,
    onDisconnect: DisconnectPolicy.CONTINUE,
    usage: true,
  });
  return {
    ...request,
    run: create(WorkforceRunSchema, {
      requestId,
      driverEpoch: BigInt(driver.epoch),
      ...(keyId !== undefined && { keyId }),
      ...(model !== undefined && { model }),
      ...(backupModel !== undefined && { backupModel }),
      ...(thinking !== undefined && { thinking }),
      capabilities,
      approvals: agent.approvals ?? {},
      limits: [
        ...spendingLimit(UsageScope.AGENT, limits.agent),
        ...spendingLimit(UsageScope.PROJECT, limits.project),
      ],
    }),
  };
}

function spendingLimit(scope: UsageScope, { monthlyRuns: _, ...limits }: MonthlyLimits) {
  return Object.keys(limits).length === 0 ? [] : [{ scope, ...limitsMessage(limits) }];
}
