import { busDependency } from "@muster/events";
import { mountAuditOutbox } from "@muster/events/audit";
import { prepareFetches } from "@muster/guarded-fetch";
import { measureQueue } from "@muster/metrics";
import { SessionsService as SessionsServiceDescriptor } from "@muster/proto/sessions";
import {
  bindStreamsTo,
  bindTo,
  createServiceHost,
  type Defer,
  mountService,
  type Opened,
  type ServiceHost,
} from "@muster/rpc";
import { openDatabase, storeOutageOf } from "@muster/store";
import { eventIndexes } from "@muster/store/event-log";
import { loadCompiler } from "./agents/programs.ts";
import { followProjectEvents } from "./agents/project-settings.ts";
import { announceNotices } from "./announce-notices.ts";
import { defaultTimings, type SessionsConfig } from "./config.ts";
import { createContext, type SessionsContext, type SessionsOverrides } from "./context.ts";
import { createExpirySweep } from "./expiry-sweep.ts";
import { answerToolCall } from "./rpc/answer-tool-call.ts";
import { cancelExecution } from "./rpc/cancel-execution.ts";
import { checkModels } from "./rpc/check-models.ts";
import { checkProviders } from "./rpc/check-providers.ts";
import { clearSession } from "./rpc/clear-session.ts";
import { createSession } from "./rpc/create-session.ts";
import { decideApproval } from "./rpc/decide-approval.ts";
import { dropNotice } from "./rpc/drop-notice.ts";
import { executeWorker } from "./rpc/execute-worker.ts";
import { getApproval } from "./rpc/get-approval.ts";
import { getSession } from "./rpc/get-session.ts";
import { listApprovals } from "./rpc/list-approvals.ts";
import { listNotices } from "./rpc/list-notices.ts";
import { listSessions } from "./rpc/list-sessions.ts";
import { locateChat } from "./rpc/locate-chat.ts";
import { locateSession } from "./rpc/locate-session.ts";
import { readLogEntry } from "./rpc/read-log-entry.ts";
import { readSessionLog } from "./rpc/read-session-log.ts";
import { reportUsage } from "./rpc/report-usage.ts";
import { restoreSession } from "./rpc/restore-session.ts";
import { resumeExecution } from "./rpc/resume-execution.ts";
import { startSession } from "./rpc/start-session.ts";
import { sumUsage } from "./rpc/sum-usage.ts";
import { testMcpServer } from "./rpc/test-mcp-server.ts";
import { trigger } from "./rpc/trigger.ts";
import { updateSession } from "./rpc/update-session.ts";
import { approvalIndexes } from "./store/approval-store.ts";
import { chunkIndexes } from "./store/chunk-store.ts";
import { hiddenIndexes } from "./store/hidden-store.ts";
import { limitNoticeIndexes } from "./store/limit-notice-store.ts";
import { logIndexes } from "./store/log-store.ts";
import { mcpTokenIndexes } from "./store/mcp-token-store.ts";
import { sessionIndexes } from "./store/session-indexes.ts";
import { turnEventCollection } from "./store/turn-events.ts";
import { usageIndexes } from "./store/usage-store.ts";
import { workerIndexes } from "./store/worker-store.ts";
import { followAbortEvents } from "./turns/abort/notify-holder.ts";
import { createApprovalSweep } from "./turns/approvals/approval-sweep.ts";
import { settleApproval } from "./turns/approvals/settle-approval.ts";
import { drain, settleMs } from "./turns/driver/executions.ts";

export type SessionsService = ServiceHost;

/** Owns conversations and runs them. Opens no connection before `start`. */
export function createSessionsService(config: SessionsConfig, overrides: SessionsOverrides): SessionsService {
  return createServiceHost<SessionsContext>({
    name: "sessions",
    config,
    overrides,
    // Executions end first, so that their streams end with the stored events and not with a broken connection.
    drainMs: (config.timings?.drainMs ?? defaultTimings.drainMs) + settleMs,
    mount: (context) => [
      mountService(SessionsServiceDescriptor, implementation(context)),
      mountAuditOutbox(() => context().auditOutbox, storeOutageOf),
    ],
    open: (defer) => open(config, overrides, defer),
  });
}

async function open(
  config: SessionsConfig,
  overrides: SessionsOverrides,
  defer: Defer,
): Promise<Opened<SessionsContext>> {
  const { log, metrics } = overrides;
  const indexes = [
    sessionIndexes,
    hiddenIndexes,
    chunkIndexes,
    workerIndexes,
    logIndexes,
    eventIndexes(turnEventCollection),
    ...usageIndexes,
    approvalIndexes,
    limitNoticeIndexes,
    mcpTokenIndexes,
  ];
  const database = { store: config.store, service: "sessions", indexes, log, metrics };
  const { db, dependency: store } = await openDatabase(database, defer);
  const draining = new AbortController();
  const context = createContext(config, overrides, db, draining.signal);
  if (metrics) {
    const { executions, fileDelivery } = context;
    for (const end of [
      metrics.gauge("muster_streams_open", { service: "sessions" }, () => executions.size),
      measureQueue(metrics, { queue: "model_files" }, fileDelivery.budget.queue),
      measureQueue(metrics, { queue: "images" }, fileDelivery.images.queue),
      measureQueue(metrics, { queue: "session_reads" }, context.reads),
      measureQueue(metrics, { queue: "turn_ends" }, context.turnEnds),
      measureQueue(metrics, { queue: "remote_calls" }, context.remoteQueue),
      ...(["approvals", "sessions", "limits"] as const).map((outbox) =>
        metrics.gauge("muster_outbox_age_seconds", { outbox }, () =>
          context.noticed.ageS(outbox, context.clock),
        ),
      ),
    ])
      defer(async () => end());
  }
  defer(() => context.reader.close());
  defer(() => context.fileDelivery.images.close());
  defer(() => context.logs.close());
  defer(() => context.usage.close());
  defer(() => context.eventLogs.close());
  for (const sessions of [context, context.hidden]) {
    const sweep = createExpirySweep(sessions, sessions === context ? context.notices : undefined);
    sweep.start();
    defer(() => sweep.stop());
  }
  const approvalSweep = createApprovalSweep(context, (found) => settleApproval(context, found));
  approvalSweep.start();
  defer(() => approvalSweep.stop());
  defer(announceNotices(context));
  defer(await followAbortEvents(context));
  defer(await followProjectEvents(context));
  return {
    context,
    dependencies: [store, busDependency(overrides.bus)],
    // The client is also that of the models.
    warmUp: async () => void (await Promise.all([prepareFetches(), loadCompiler()])),
    drain: () => {
      draining.abort();
      return drain(context);
    },
  };
}

function implementation(context: () => SessionsContext) {
  const bind = bindTo(context, storeOutageOf);
  const bindStream = bindStreamsTo(context);
  return {
    createSession: bind(createSession),
    locateChat: bind(locateChat),
    locateSession: bind(locateSession),
    getSession: bindStream(getSession),
    restoreSession: bind(restoreSession),
    listNotices: bind(listNotices),
    dropNotice: bind(dropNotice),
    listSessions: bind(listSessions),
    updateSession: bind(updateSession),
    clearSession: bind(clearSession),
    cancelExecution: bind(cancelExecution),
    checkProviders: bind(checkProviders),
    checkModels: bind(checkModels),
    testMcpServer: bind(testMcpServer),
    sumUsage: bind(sumUsage),
    reportUsage: bind(reportUsage),
    listApprovals: bind(listApprovals),
    getApproval: bind(getApproval),
    decideApproval: bind(decideApproval),
    answerToolCall: bind(answerToolCall),
    readLogEntry: bindStream(readLogEntry),
    readSessionLog: bindStream(readSessionLog),
    startSession: bindStream(startSession),
    trigger: bindStream(trigger),
    executeWorker: bindStream(executeWorker),
    resumeExecution: bindStream(resumeExecution),
  };
}
