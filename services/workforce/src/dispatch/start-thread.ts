import { invalidRequest, keyInProgress, keyReused, Reason, type RpcFailure, rpcError } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { checkFiles } from "../input/check-files.ts";
import { assertDeclared } from "../input/run-config.ts";
import { isPassing } from "../runs/driver/call-service.ts";
import { type AgentDocument, type AgentKey, keyOfAgent } from "../store/agent-document.ts";
import { agentPaused, queueFull, unknownAgent } from "../store/refusals.ts";
import type { StoredRunConfig } from "../store/run-config.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import { titleOf } from "../store/title.ts";
import { findReachedLimit, type ReachedLimit } from "../views/check-limits.ts";
import { effectiveConfig } from "../views/effective-config.ts";
import { holderOf, type Occupation, occupationOf } from "../views/occupied.ts";
import { acceptThread } from "./acceptance.ts";
import { assertRunnable } from "./hire/assert-runnable.ts";
import { recordingFor } from "./recording-for.ts";
import type { StartCommand } from "./start-request.ts";

const timeoutMs = 5_000;

export interface StartedThread {
  thread: ThreadDocument;
  /** The key was used before, with the same request. */
  replayed: boolean;
}

/**
 * Starts a thread, or finds the one that the same key has started. Everything is checked before anything is stored: replay of
 * the key, pause, configuration, `ifIdle`, limits.
 */
export async function startThread(
  context: WorkforceContext,
  key: AgentKey,
  command: StartCommand,
): Promise<StartedThread> {
  const { idempotency, ifIdle } = command;
  const earlier = idempotency && (await context.threads.findByIdempotencyKey(key, idempotency.key));
  if (earlier) return replay(earlier, command);
  await checkFiles(context, key, command.files);
  const agent = await context.agents.find(key);
  if (agent === null) throw unknownAgent(key.agentId);
  if (agent.paused) throw agentPaused();
  const config = await checkedConfig(context, agent, command.config);
  if (command.callbackUrl !== undefined) await assertSigned(context, key);
  const occupation = ifIdle ? await assertIdle(context, agent) : {};
  const limit = await findReachedLimit(context, agent);
  const thread = newThread(context, agent, command, config, limit);
  const other = await context.threads.insert(thread);
  if (other !== null) return replay(other, command);
  if (limit !== undefined) return { thread, replayed: false };
  const { ended } = occupation;
  const options = ifIdle ? { ifIdle: ended === undefined ? {} : { ended } } : {};
  const outcome = await acceptThread(context, thread, options);
  if (outcome.accepted) return { thread: outcome.thread, replayed: false };
  switch (outcome.refusal) {
    case "gone":
      throw unknownAgent();
    case "paused":
      throw agentPaused();
    case "full":
      throw queueFull();
    case "busy":
      throw await agentBusy(context, outcome.agent);
  }
}

function replay(thread: ThreadDocument, { idempotency }: StartCommand): StartedThread {
  if (thread.idem?.hash !== idempotency?.hash) throw keyReused();
  if (!thread.accepted) throw keyInProgress();
  return { thread, replayed: true };
}

/** The settings of a run. Throws CAPABILITY_NOT_DECLARED or MODEL_NOT_RUNNABLE. */
export async function checkedConfig(
  { services, callFor }: Pick<WorkforceContext, "services" | "callFor">,
  agent: AgentDocument,
  requested: StoredRunConfig,
): Promise<StoredRunConfig> {
  assertDeclared(agent.declared, [{ path: "config.capabilities", capabilities: requested.capabilities }]);
  const config = effectiveConfig(agent, requested);
  await assertRunnable(services, config, "config", callFor(agent.projectId, { timeoutMs }));
  return config;
}

/** Throws INVALID_REQUEST: without a secret, no callback could be sent. */
async function assertSigned({ callbackSecrets }: WorkforceContext, { projectId }: AgentKey): Promise<void> {
  if ((await callbackSecrets.read(projectId)).secrets.length > 0) return;
  const remedy = `an administrator has to create it with POST /api/admin/projects/${projectId}/callback-secret`;
  throw invalidRequest("callback", `needs the project's callback secret: ${remedy}`);
}

async function assertIdle(context: WorkforceContext, agent: AgentDocument): Promise<Occupation> {
  const occupation = await occupationOf(context, agent);
  const { currentThreadId } = holderOf(agent, occupation);
  if (currentThreadId !== undefined) throw busy(currentThreadId);
  return occupation;
}

/** Another dispatch was faster. */
async function agentBusy(context: WorkforceContext, agent: AgentDocument | null) {
  if (agent === null) return unknownAgent();
  return busy(holderOf(agent, await occupationOf(context, agent)).currentThreadId ?? null);
}

function busy(currentThreadId: string | null) {
  const message = "The agent has work. Send the request without ifIdle to queue it, or try again later.";
  return rpcError(Reason.AGENT_BUSY, message, { currentThreadId });
}

function newThread(
  context: Pick<WorkforceContext, "newId" | "clock" | "recordingFiles">,
  agent: AgentDocument,
  { text, files, idempotency, keyId, isForeign, ifIdle, callbackUrl, origin }: StartCommand,
  config: StoredRunConfig,
  limit: ReachedLimit | undefined,
): ThreadDocument {
  const { newId, clock } = context;
  const { projectId, agentId } = keyOfAgent(agent);
  const recording = recordingFor(context, config);
  const now = new Date(clock.now());
  return {
    _id: newId("thr"),
    projectId,
    agentId,
    sessionId: newId("ses"),
    ...(limit === undefined
      ? { status: "queued", accepted: false, openSince: now, ...(ifIdle && { ifIdle }), completedAt: null }
      : { status: "blocked", accepted: true, completedAt: now }),
    offer: null,
    title: titleOf(text),
    config,
    definitionVersion: agent.definition.version,
    trigger: agent.trigger,
    runId: null,
    epoch: 0,
    turn: 0,
    message: null,
    inbox: [
      {
        ...{ id: newId("msg"), text, files, ...(keyId !== undefined && { keyId }) },
        ...(isForeign && { isForeign }),
        at: now,
      },
    ],
    ...(idempotency && { idem: idempotency }),
    followUpKeys: [],
    rev: 0,
    messageCount: 1,
    failureReason: limit?.reason ?? null,
    failureType: limit?.type ?? null,
    startedAt: null,
    closed: false,
    provenance: null,
    request: null,
    takeOvers: 0,
    ...(recording && { recording }),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(origin && { origin }),
    createdAt: now,
  };
}

/** Whether a dispatch that was refused may succeed later. */
export function mayPass(failure: RpcFailure): boolean {
  const { reason } = failure;
  return reason === Reason.QUEUE_FULL || reason === Reason.IDEMPOTENCY_KEY_IN_PROGRESS || isPassing(failure);
}
