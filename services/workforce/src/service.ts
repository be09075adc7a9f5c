import { machineIndexes } from "@muster/computers";
import { busDependency } from "@muster/events";
import { AuditService as AuditServiceDescriptor } from "@muster/proto/audit";
import { ComputersService as ComputersServiceDescriptor } from "@muster/proto/computers";
import { HooksService as HooksServiceDescriptor } from "@muster/proto/hooks";
import { RecordingsService as RecordingsServiceDescriptor } from "@muster/proto/recordings";
import { SchedulesService as SchedulesServiceDescriptor } from "@muster/proto/schedules";
import { WebhooksService as WebhooksServiceDescriptor } from "@muster/proto/webhooks";
import { WorkforceService as WorkforceServiceDescriptor } from "@muster/proto/workforce";
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
import { createAuditCollector } from "./audit/audit-collector.ts";
import { auditIndexes } from "./audit/audit-store.ts";
import type { WorkforceConfig } from "./config.ts";
import { createContext, type WorkforceContext, type WorkforceOverrides } from "./context.ts";
import { createUpkeep } from "./dispatch/upkeep/upkeep.ts";
import { threadEventCollection } from "./events/thread-events.ts";
import { createHookWork } from "./hooks/hook-work.ts";
import { measureQueues } from "./measure-queues.ts";
import { recordingIndexes } from "./recordings/recording-store.ts";
import { listAuditEntries } from "./rpc/audit/list-audit-entries.ts";
import { cancelThread } from "./rpc/cancel-thread.ts";
import { connect } from "./rpc/computers/connect.ts";
import { createComputer } from "./rpc/computers/create-computer.ts";
import { createComputerToken } from "./rpc/computers/create-computer-token.ts";
import { deleteComputer } from "./rpc/computers/delete-computer.ts";
import { deleteComputerToken } from "./rpc/computers/delete-computer-token.ts";
import { getComputer } from "./rpc/computers/get-computer.ts";
import { listComputerTokens } from "./rpc/computers/list-computer-tokens.ts";
import { listComputers } from "./rpc/computers/list-computers.ts";
import { createAgentKey } from "./rpc/create-agent-key.ts";
import { deleteAgent } from "./rpc/delete-agent.ts";
import { deleteAgentKey } from "./rpc/delete-agent-key.ts";
import { followUp } from "./rpc/follow-up.ts";
import { getAgent } from "./rpc/get-agent.ts";
import { getQueue } from "./rpc/get-queue.ts";
import { getThread } from "./rpc/get-thread.ts";
import { hireAgent } from "./rpc/hire-agent.ts";
import { acceptDelivery } from "./rpc/hooks/accept-delivery.ts";
import { createHook } from "./rpc/hooks/create-hook.ts";
import { deleteHook } from "./rpc/hooks/delete-hook.ts";
import { getHook } from "./rpc/hooks/get-hook.ts";
import { listHookDeliveries } from "./rpc/hooks/list-hook-deliveries.ts";
import { listHooks } from "./rpc/hooks/list-hooks.ts";
import { replayHookDelivery } from "./rpc/hooks/replay-hook-delivery.ts";
import { updateHook } from "./rpc/hooks/update-hook.ts";
import { listAgentKeys } from "./rpc/list-agent-keys.ts";
import { listAgents } from "./rpc/list-agents.ts";
import { listThreads } from "./rpc/list-threads.ts";
import { readHiredAgent } from "./rpc/read-hired-agent.ts";
import { claimRecording } from "./rpc/recordings/claim-recording.ts";
import { deleteRecordings } from "./rpc/recordings/delete-recordings.ts";
import { finishRecording } from "./rpc/recordings/finish-recording.ts";
import { getRecording } from "./rpc/recordings/get-recording.ts";
import { readTimeline } from "./rpc/recordings/read-timeline.ts";
import { renewRecording } from "./rpc/recordings/renew-recording.ts";
import { createSchedule } from "./rpc/schedules/create-schedule.ts";
import { deleteSchedule } from "./rpc/schedules/delete-schedule.ts";
import { getSchedule } from "./rpc/schedules/get-schedule.ts";
import { listScheduleRuns } from "./rpc/schedules/list-schedule-runs.ts";
import { listSchedules } from "./rpc/schedules/list-schedules.ts";
import { runSchedule } from "./rpc/schedules/run-schedule.ts";
import { updateSchedule } from "./rpc/schedules/update-schedule.ts";
import { startThread } from "./rpc/start-thread.ts";
import { streamThreadEvents } from "./rpc/stream-thread-events.ts";
import { updateAgent } from "./rpc/update-agent.ts";
import { createWebhook } from "./rpc/webhooks/create-webhook.ts";
import { deleteWebhook } from "./rpc/webhooks/delete-webhook.ts";
import { getWebhook } from "./rpc/webhooks/get-webhook.ts";
import { listDeliveries } from "./rpc/webhooks/list-deliveries.ts";
import { listWebhooks } from "./rpc/webhooks/list-webhooks.ts";
import { replayDelivery } from "./rpc/webhooks/replay-delivery.ts";
import { rotateCallbackSecret } from "./rpc/webhooks/rotate-callback-secret.ts";
import { rotateWebhookSecret } from "./rpc/webhooks/rotate-webhook-secret.ts";
import { testWebhook } from "./rpc/webhooks/test-webhook.ts";
import { updateWebhook } from "./rpc/webhooks/update-webhook.ts";
import { withdrawThread } from "./rpc/withdraw-thread.ts";
import { createRunner } from "./runs/runner.ts";
import { settleThread } from "./runs/waiting/settle-waiting.ts";
import { wakeAgentsOf } from "./runs/wake-agents-of.ts";
import { createScheduler } from "./schedules/scheduler.ts";
import { agentIndexes } from "./store/agent-store.ts";
import { callbackSecretIndexes } from "./store/callback-secret-store.ts";
import { deliveryIndexes } from "./store/delivery-store.ts";
import { hookDeliveryIndexes } from "./store/hook-delivery-store.ts";
import { hookIndexes } from "./store/hook-store.ts";
import { runIndexes } from "./store/run-store.ts";
import { scheduleRunIndexes } from "./store/schedule-run-store.ts";
import { scheduleIndexes } from "./store/schedule-store.ts";
import { threadIndexes } from "./store/thread-store.ts";
import { webhookIndexes } from "./store/webhook-store.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

export type WorkforceService = ServiceHost;

/** Owns workforce agents, their threads, their runs and the recordings of these. Opens no connection before `start`. */
export function createWorkforceService(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
): WorkforceService {
  return createServiceHost<WorkforceContext>({
    name: "workforce",
    config,
    overrides,
    mount: (context) => [
      mountService(WorkforceServiceDescriptor, implementation(context)),
      mountService(RecordingsServiceDescriptor, recordingsImplementation(context)),
      mountService(ComputersServiceDescriptor, computersImplementation(context)),
      mountService(SchedulesServiceDescriptor, schedulesImplementation(context)),
      mountService(WebhooksServiceDescriptor, webhooksImplementation(context)),
      mountService(HooksServiceDescriptor, hooksImplementation(context)),
      mountService(AuditServiceDescriptor, {
        listAuditEntries: bindTo(context, storeOutageOf)(listAuditEntries),
      }),
    ],
    open: (defer) => open(config, overrides, defer),
  });
}

async function open(
  config: WorkforceConfig,
  overrides: WorkforceOverrides,
  defer: Defer,
): Promise<Opened<WorkforceContext>> {
  const { log, metrics } = overrides;
  const indexes = [
    agentIndexes,
    threadIndexes,
    runIndexes,
    eventIndexes(threadEventCollection),
    recordingIndexes,
    machineIndexes,
    scheduleIndexes,
    scheduleRunIndexes,
    webhookIndexes,
    deliveryIndexes,
    callbackSecretIndexes,
    hookIndexes,
    hookDeliveryIndexes,
    ...auditIndexes,
  ];
  const database = { store: config.store, service: "workforce", indexes, log, metrics };
  const { db, dependency: store } = await openDatabase(database, defer);
  const context = createContext(config, overrides, db);
  defer(() => context.computers.close());
  log.info({ runtime: await context.computers.check() }, "commands of agents can run");
  defer(() => context.threadLogs.stop());
  const unmeasure = measureQueues(context);
  defer(async () => unmeasure());
  await context.wakeUps.start();
  defer(() => context.wakeUps.stop());
  const webhooks = createWebhooks(context);
  defer(() => webhooks.stop());
  await webhooks.start();
  const hookWork = createHookWork(context);
  hookWork.start();
  defer(() => hookWork.stop());
  const scheduler = createScheduler(context);
  defer(() => scheduler.stop());
  scheduler.start();
  const collector = createAuditCollector(context);
  defer(() => collector.stop());
  await collector.start();
  const upkeep = createUpkeep(context);
  upkeep.start();
  defer(() => upkeep.stop());
  context.computers.machines.onConnected = (key) => wakeAgentsOf(context, key);
  const stopWaking = context.wakeUps.onDecided((key) => void settleThread(context, key));
  defer(async () => void stopWaking());
  const runner = createRunner(context);
  if (config.startsRuns ?? true) runner.start();
  return {
    context,
    dependencies: [store, busDependency(overrides.bus)],
    drain: async () => {
      context.watch.stop();
      await runner.drain();
      await context.computers.machines.close();
    },
  };
}

function implementation(context: () => WorkforceContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    hireAgent: bind(hireAgent),
    listAgents: bind(listAgents),
    readHiredAgent: bind(readHiredAgent),
    updateAgent: bind(updateAgent),
    deleteAgent: bind(deleteAgent),
    createAgentKey: bind(createAgentKey),
    listAgentKeys: bind(listAgentKeys),
    deleteAgentKey: bind(deleteAgentKey),
    getQueue: bind(getQueue),
    withdrawThread: bind(withdrawThread),
    getAgent: bind(getAgent),
    startThread: bind(startThread),
    getThread: bind(getThread),
    listThreads: bind(listThreads),
    followUp: bind(followUp),
    cancelThread: bind(cancelThread),
    streamThreadEvents: bindStreamsTo(context)(streamThreadEvents),
  };
}

function recordingsImplementation(context: () => WorkforceContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    claimRecording: bind(claimRecording),
    renewRecording: bind(renewRecording),
    finishRecording: bind(finishRecording),
    getRecording: bind(getRecording),
    deleteRecordings: bind(deleteRecordings),
    readTimeline: bindStreamsTo(context)(readTimeline),
  };
}

function schedulesImplementation(context: () => WorkforceContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    createSchedule: bind(createSchedule),
    deleteSchedule: bind(deleteSchedule),
    getSchedule: bind(getSchedule),
    listSchedules: bind(listSchedules),
    listScheduleRuns: bind(listScheduleRuns),
    runSchedule: bind(runSchedule),
    updateSchedule: bind(updateSchedule),
  };
}

function webhooksImplementation(context: () => WorkforceContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    createWebhook: bind(createWebhook),
    deleteWebhook: bind(deleteWebhook),
    getWebhook: bind(getWebhook),
    listDeliveries: bind(listDeliveries),
    listWebhooks: bind(listWebhooks),
    replayDelivery: bind(replayDelivery),
    rotateCallbackSecret: bind(rotateCallbackSecret),
    rotateWebhookSecret: bind(rotateWebhookSecret),
    testWebhook: bind(testWebhook),
    updateWebhook: bind(updateWebhook),
  };
}

function hooksImplementation(context: () => WorkforceContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    createHook: bind(createHook),
    listHooks: bind(listHooks),
    getHook: bind(getHook),
    updateHook: bind(updateHook),
    deleteHook: bind(deleteHook),
    listHookDeliveries: bind(listHookDeliveries),
    replayHookDelivery: bind(replayHookDelivery),
    acceptDelivery: bind(acceptDelivery),
  };
}

function computersImplementation(context: () => WorkforceContext) {
  const bind = bindTo(context, storeOutageOf);
  return {
    createComputer: bind(createComputer),
    listComputers: bind(listComputers),
    getComputer: bind(getComputer),
    deleteComputer: bind(deleteComputer),
    createComputerToken: bind(createComputerToken),
    listComputerTokens: bind(listComputerTokens),
    deleteComputerToken: bind(deleteComputerToken),
    connect: bindStreamsTo(context)(connect),
  };
}
