export {
  type Client,
  Code,
  ConnectError,
  type HandlerContext,
  type ServiceImpl,
  type Transport,
} from "@connectrpc/connect";
export { type Actor, actorKinds } from "./actor.ts";
export { actorOf, onBehalfOf } from "./actor-of.ts";
export { type ApprovalRules, approvalDemands, readApprovalRules } from "./approval-rules.ts";
export {
  adminOf,
  callerOf,
  callOptions,
  principalHeader,
  refuseToken,
  requestIdHeader,
  requestIdOf,
  requirePermission,
} from "./call-context.ts";
export { createRpcClient } from "./client.ts";
export { maxMessageBytes } from "./codec.ts";
export {
  forbidden,
  type IssueInput,
  noSuchAgent,
  Reason,
  type RpcFailure,
  readRpcError,
  revisionMismatch,
  rpcError,
} from "./errors.ts";
export {
  bindStreamsTo,
  bindTo,
  type Mounted,
  mountPartial,
  mountService,
  outageError,
  type RpcHandler,
} from "./handling.ts";
export { livenessName } from "./health.ts";
export {
  type Idempotency,
  idempotencyKeyProblem,
  isIdempotencyKey,
  keyInProgress,
  keyReused,
  readIdempotency,
} from "./idempotency-key.ts";
export { createInProcessTransport } from "./in-process-transport.ts";
export { firstProblems, Issues, invalidRequest, shortPath, summarise } from "./issues.ts";
export {
  checkLimits,
  checkUsd,
  type LimitChanges,
  type LimitReached,
  limitReachedBy,
  limitsMessage,
  lowestUsd,
  type MonthlyLimits,
  monthlyLimits,
  monthOf,
  reachedLimit,
  type SpendingLimits,
  workforceLimits,
} from "./monthly-limits.ts";
export { type Page, pageOf, readPage } from "./pages.ts";
export {
  type CallPrincipal,
  checkSubject,
  createPrincipalSigner,
  createPrincipalVerifier,
  hasPermission,
  isPermission,
  isPlatform,
  isSubject,
  isWorkforce,
  type Permission,
  type PrincipalVerifier,
  permissions,
  platformPrincipal,
  principalLifetimeMs,
  sessionsPrincipal,
  subjectFor,
  workforcePrincipal,
} from "./principal.ts";
export { relayedFailure } from "./relayed-failure.ts";
export { type OpenedSecret, openSecret, seal } from "./seal.ts";
export { serviceDependency } from "./service-dependency.ts";
export {
  createServiceHost,
  type Defer,
  type Opened,
  type ServiceContext,
  type ServiceHost,
  type ServiceOverrides,
} from "./service-host.ts";
