import { setTimeout } from "node:timers/promises";
import type { HandlerContext } from "@connectrpc/connect";
import { inFreeTick } from "@muster/large-data";
import { type CallPrincipal, type Idempotency, keyReused } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import { assertAgent } from "../../input/caller.ts";
import type { StartRequest } from "../../input/read-start-request.ts";
import { type StartDocument, startId } from "../../store/start-store.ts";
import { assertTaking } from "../begin/drive.ts";
import type { Execution } from "../driver/execution.ts";
import { beginFirstTurn, type FirstTurn, openWithTurn } from "./first-turn.ts";
import { assertMayOpen, openAgent } from "./new-document.ts";
import { type Steps, startOnce } from "./start-once.ts";

/** A session that this request has opened, or an earlier one with the same key. */
export type Begun = { execution: Execution } | { earlier: StartDocument };

/** Opens a session and starts its first turn, or refuses and stores nothing. With a key, only the first request does. */
export async function beginSession(
  context: SessionsContext,
  caller: CallPrincipal,
  request: StartRequest,
  call: HandlerContext,
): Promise<Begun> {
  assertTaking(context);
  const { session, command, idempotency } = request;
  assertMayOpen(caller, session.agent);
  // The first of hundreds that arrive at once reach their models while the others wait.
  await new Promise<void>((resolve) => inFreeTick(resolve));
  if (idempotency !== undefined) return beginOnce(context, caller, request, idempotency, call);
  const agent = await openAgent(context, caller, session.agent, call);
  const turn = await beginFirstTurn(context, agent, request, context.newId("exe"), call);
  const execution = await openWithTurn(context, turn, call, { isFirst: true });
  if (execution === undefined) throw new Error(`A session with the new id ${command.sessionId} exists.`);
  return { execution };
}

/** How long the process that has inserted a row may take to insert its session. It does so at once, unless it dies. */
const ownTimeMs = 1_000;
const pollEveryMs = 25;

interface BegunStart {
  row: StartDocument;
  turn: FirstTurn;
  /** No earlier request has made the row. */
  isFirst: boolean;
}

async function beginOnce(
  context: SessionsContext,
  caller: CallPrincipal,
  request: StartRequest,
  { key, hash: bodyHash }: Idempotency,
  call: HandlerContext,
): Promise<Begun> {
  const { programs, starts, store, newId, clock } = context;
  const { projectId } = caller;
  const agentId = await programs.idOf(request.session.agent, projectId, call);
  assertAgent(caller, agentId);
  const scope = { projectId, agentId, key };
  let execution: Execution | undefined;
  let waitedMs = 0;
  const steps: Steps<StartDocument, BegunStart> = {
    findRow: () => starts.find(scope),
    assertSame: (row) => {
      if (row.bodyHash !== bodyHash) throw keyReused();
    },
    prepare: async (found) => {
      const agent =
        found === undefined
          ? await openAgent(context, caller, request.session.agent, call)
          : { ...pinnedBy(found), program: await programs.pinned(pinnedBy(found), "interactive", call) };
      const row = found ?? {
        _id: startId({ ...scope, agentId: agent.agentId }),
        ...pinnedBy(agent),
        sessionId: request.command.sessionId,
        executionId: newId("exe"),
        bodyHash,
        createdAt: new Date(clock.now()),
      };
      const command = { ...request.command, sessionId: row.sessionId };
      const turn = await beginFirstTurn(context, agent, { ...request, command }, row.executionId, call);
      return { row, turn, isFirst: found === undefined };
    },
    insertRow: (row) => starts.insert(row),
    hasSession: async ({ sessionId }) => (await store.findMetadata({ projectId, sessionId })) !== null,
    insertSession: async ({ turn, isFirst }) => {
      execution = await openWithTurn(context, turn, call, { isFirst });
      return execution !== undefined;
    },
    giveTime: async ({ createdAt }) => {
      if (waitedMs >= ownTimeMs || clock.now() - createdAt.getTime() > ownTimeMs) return false;
      await setTimeout(pollEveryMs, undefined, { signal: call.signal });
      waitedMs += pollEveryMs;
      return true;
    },
  };
  const outcome = await startOnce(steps);
  if ("row" in outcome) return { earlier: outcome.row };
  if (execution === undefined) throw new Error("A session was opened without its turn.");
  return { execution };
}

function pinnedBy({
  projectId,
  agentId,
  agentVersion,
}: Pick<StartDocument, "projectId" | "agentId" | "agentVersion">) {
  return { projectId, agentId, agentVersion };
}
