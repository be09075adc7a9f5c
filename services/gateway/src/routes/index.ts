import type { AddRoute } from "../context.ts";
import { callAgent } from "../dialects/a2a/call-agent.ts";
import { getAgentCard } from "../dialects/a2a/get-agent-card.ts";
import { runAgent } from "../dialects/ag-ui/run-agent.ts";
import { chatModels } from "../dialects/chat-completions/chat-models.ts";
import { createChatCompletion } from "../dialects/chat-completions/create-chat-completion.ts";
import { callMcp } from "../dialects/mcp/call-mcp.ts";
import { createResponse } from "../dialects/responses/create-response.ts";
import { storedResponses } from "../dialects/responses/stored-responses.ts";
import { cancelChat } from "../dialects/ui/cancel-chat.ts";
import { followChat } from "../dialects/ui/follow-chat.ts";
import { sendChat } from "../dialects/ui/send-chat.ts";
import { createKey } from "./admin/create-key.ts";
import { createProject } from "./admin/create-project.ts";
import { deleteKey } from "./admin/delete-key.ts";
import { deleteProviderKey } from "./admin/delete-provider-key.ts";
import { deleteToolSecret } from "./admin/delete-tool-secret.ts";
import { getUsage } from "./admin/get-usage.ts";
import { listKeys } from "./admin/list-keys.ts";
import { listProjects } from "./admin/list-projects.ts";
import { listProviderKeys } from "./admin/list-provider-keys.ts";
import { listToolSecrets } from "./admin/list-tool-secrets.ts";
import { setProviderKey } from "./admin/set-provider-key.ts";
import { setToolSecret } from "./admin/set-tool-secret.ts";
import { updateKey } from "./admin/update-key.ts";
import { updateProject } from "./admin/update-project.ts";
import { archiveAgent } from "./agents/archive-agent.ts";
import { createAgent } from "./agents/create-agent.ts";
import { executeAgent } from "./agents/execute-agent.ts";
import { getAgent } from "./agents/get-agent.ts";
import { listAgentVersions } from "./agents/list-agent-versions.ts";
import { listAgents } from "./agents/list-agents.ts";
import { updateAgent } from "./agents/update-agent.ts";
import { validateAgent } from "./agents/validate-agent.ts";
import { decideApproval } from "./approvals/decide-approval.ts";
import { getApproval } from "./approvals/get-approval.ts";
import { listApprovals } from "./approvals/list-approvals.ts";
import { listAudit } from "./audit/list-audit.ts";
import { connectComputer } from "./computers/connect-computer.ts";
import { createComputer } from "./computers/create-computer.ts";
import { createComputerToken } from "./computers/create-computer-token.ts";
import { deleteComputer } from "./computers/delete-computer.ts";
import { deleteComputerToken } from "./computers/delete-computer-token.ts";
import { getComputer } from "./computers/get-computer.ts";
import { listComputerTokens } from "./computers/list-computer-tokens.ts";
import { listComputers } from "./computers/list-computers.ts";
import { createSessionUploads } from "./files/create-session-uploads.ts";
import { downloadFile } from "./files/download-file.ts";
import { uploadFile } from "./files/upload-file.ts";
import { createHook } from "./hooks/create-hook.ts";
import { deleteHook } from "./hooks/delete-hook.ts";
import { getHook } from "./hooks/get-hook.ts";
import { listHookDeliveries } from "./hooks/list-hook-deliveries.ts";
import { listHooks } from "./hooks/list-hooks.ts";
import { receiveDelivery } from "./hooks/receive-delivery.ts";
import { replayHookDelivery } from "./hooks/replay-hook-delivery.ts";
import { updateHook } from "./hooks/update-hook.ts";
import { createIdentityProvider } from "./identity-providers/create-identity-provider.ts";
import { deleteIdentityProvider } from "./identity-providers/delete-identity-provider.ts";
import { getIdentityProvider } from "./identity-providers/get-identity-provider.ts";
import { listIdentityProviders } from "./identity-providers/list-identity-providers.ts";
import { updateIdentityProvider } from "./identity-providers/update-identity-provider.ts";
import { createLogin } from "./logins/create-login.ts";
import { deleteLogin } from "./logins/delete-login.ts";
import { listWays } from "./logins/list-ways.ts";
import { logInWithProvider } from "./logins/log-in-with-provider.ts";
import { createMcpServer } from "./mcp-servers/create-mcp-server.ts";
import { deleteMcpServer } from "./mcp-servers/delete-mcp-server.ts";
import { getMcpServer } from "./mcp-servers/get-mcp-server.ts";
import { listMcpServers } from "./mcp-servers/list-mcp-servers.ts";
import { testMcpServer } from "./mcp-servers/test-mcp-server.ts";
import { updateMcpServer } from "./mcp-servers/update-mcp-server.ts";
import { listModels } from "./models/list-models.ts";
import { showConsole } from "./pages/show-console.ts";
import { showDocs } from "./pages/show-docs.ts";
import { showPlaces } from "./pages/show-places.ts";
import { watchRecordings } from "./recordings/watch-recordings.ts";
import { createSchedule } from "./schedules/create-schedule.ts";
import { deleteSchedule } from "./schedules/delete-schedule.ts";
import { getSchedule } from "./schedules/get-schedule.ts";
import { listScheduleRuns } from "./schedules/list-schedule-runs.ts";
import { listSchedules } from "./schedules/list-schedules.ts";
import { runSchedule } from "./schedules/run-schedule.ts";
import { pauseSchedule, resumeSchedule } from "./schedules/switch-schedule.ts";
import { updateSchedule } from "./schedules/update-schedule.ts";
import { cancelExecution } from "./sessions/cancel-execution.ts";
import { clearSession } from "./sessions/clear-session.ts";
import { createSession } from "./sessions/create-session.ts";
import { getLogEntry } from "./sessions/get-log-entry.ts";
import { getSession } from "./sessions/get-session.ts";
import { getSessionLog } from "./sessions/get-session-log.ts";
import { listSessions } from "./sessions/list-sessions.ts";
import { restoreSession } from "./sessions/restore-session.ts";
import { resumeExecution } from "./sessions/resume-execution.ts";
import { startSession } from "./sessions/start-session.ts";
import { triggerSession } from "./sessions/trigger-session.ts";
import { updateSession } from "./sessions/update-session.ts";
import { followChanges } from "./system/follow-changes.ts";
import { getCredential } from "./system/get-credential.ts";
import { getSchemas } from "./system/get-schemas.ts";
import { healthz } from "./system/healthz.ts";
import { listProviders } from "./system/list-providers.ts";
import { openapiJson } from "./system/openapi-json.ts";
import { readyz } from "./system/readyz.ts";
import { mintToken } from "./tokens/mint-token.ts";
import { revokeToken } from "./tokens/revoke-token.ts";
import { answerToolCall } from "./tool-calls/answer-tool-call.ts";
import { createWebhook } from "./webhooks/create-webhook.ts";
import { deleteWebhook } from "./webhooks/delete-webhook.ts";
import { getWebhook } from "./webhooks/get-webhook.ts";
import { listDeliveries } from "./webhooks/list-deliveries.ts";
import { listWebhooks } from "./webhooks/list-webhooks.ts";
import { replayDelivery } from "./webhooks/replay-delivery.ts";
import { rotateCallbackSecret } from "./webhooks/rotate-callback-secret.ts";
import { rotateWebhookSecret } from "./webhooks/rotate-webhook-secret.ts";
import { testWebhook } from "./webhooks/test-webhook.ts";
import { updateWebhook } from "./webhooks/update-webhook.ts";
import { createAgentKey } from "./workforce/admin/create-agent-key.ts";
import { deleteAgentKey } from "./workforce/admin/delete-agent-key.ts";
import { deleteHiredAgent } from "./workforce/admin/delete-hired-agent.ts";
import { getHiredAgent } from "./workforce/admin/get-hired-agent.ts";
import { getQueue } from "./workforce/admin/get-queue.ts";
import { hireAgent } from "./workforce/admin/hire-agent.ts";
import { listAgentKeys } from "./workforce/admin/list-agent-keys.ts";
import { listHiredAgents } from "./workforce/admin/list-hired-agents.ts";
import { listPrebuilt } from "./workforce/admin/list-prebuilt.ts";
import { listProjectThreads } from "./workforce/admin/list-project-threads.ts";
import { updateHiredAgent } from "./workforce/admin/update-hired-agent.ts";
import { agentWork } from "./workforce/agent-work.ts";
import { getWorkforceAgent } from "./workforce/get-workforce-agent.ts";

/** Every public route. */
export const routes: readonly AddRoute[] = [
  // The first: its tools are the routes after it.
  callMcp,
  createSession,
  startSession,
  listSessions,
  getSession,
  updateSession,
  getSessionLog,
  getLogEntry,
  restoreSession,
  clearSession,
  triggerSession,
  resumeExecution,
  cancelExecution,
  listApprovals,
  getApproval,
  decideApproval,
  answerToolCall,
  sendChat,
  followChat,
  cancelChat,
  runAgent,
  listAgents,
  getAgent,
  createAgent,
  validateAgent,
  updateAgent,
  archiveAgent,
  executeAgent,
  listAgentVersions,
  createSessionUploads,
  uploadFile,
  downloadFile,
  listModels,
  getSchemas,
  mintToken,
  revokeToken,
  createLogin,
  deleteLogin,
  listWays,
  logInWithProvider,
  createKey,
  listKeys,
  updateKey,
  getUsage,
  listAudit,
  deleteKey,
  createProject,
  updateProject,
  listProjects,
  listProviderKeys,
  setProviderKey,
  deleteProviderKey,
  setToolSecret,
  listToolSecrets,
  deleteToolSecret,
  createIdentityProvider,
  listIdentityProviders,
  getIdentityProvider,
  updateIdentityProvider,
  deleteIdentityProvider,
  createMcpServer,
  listMcpServers,
  getMcpServer,
  updateMcpServer,
  deleteMcpServer,
  testMcpServer,
  createHook,
  listHooks,
  getHook,
  updateHook,
  deleteHook,
  listHookDeliveries,
  replayHookDelivery,
  receiveDelivery,
  createSchedule,
  listSchedules,
  getSchedule,
  updateSchedule,
  deleteSchedule,
  runSchedule,
  pauseSchedule,
  resumeSchedule,
  listScheduleRuns,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  replayDelivery,
  rotateCallbackSecret,
  getWorkforceAgent,
  agentWork,
  watchRecordings,
  showPlaces,
  showConsole,
  showDocs,
  listPrebuilt,
  hireAgent,
  listHiredAgents,
  getHiredAgent,
  updateHiredAgent,
  deleteHiredAgent,
  connectComputer,
  createComputer,
  listComputers,
  getComputer,
  deleteComputer,
  createComputerToken,
  listComputerTokens,
  deleteComputerToken,
  createAgentKey,
  listAgentKeys,
  deleteAgentKey,
  getQueue,
  listProjectThreads,
  getAgentCard,
  callAgent,
  followChanges,
  getCredential,
  listProviders,
  healthz,
  readyz,
  openapiJson,
  createChatCompletion,
  chatModels,
  createResponse,
  storedResponses,
];
