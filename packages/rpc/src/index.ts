export {
  type Client,
  Code,
  ConnectError,
  type HandlerContext,
  type ServiceImpl,
  type Transport,
} from "@connectrpc/connect";
export {
  callerOf,
  callOptions,
  principalHeader,
  refuseToken,
  requestIdHeader,
  requestIdOf,
  requirePermission,
} from "./caller.ts";
export { createRpcClient } from "./client.ts";
export { maxMessageBytes } from "./codec.ts";
export { forbidden, type IssueInput, Reason, type RpcFailure, readRpcError, rpcError } from "./errors.ts";
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
  type LimitChanges,
  limitsMessage,
  type MonthlyLimits,
  monthlyLimits,
  monthOf,
  reachedLimit,
} from "./monthly-limits.ts";
export { type Mounted, mountPartial, mountService } from "./mount.ts";
export {
  type CallPrincipal,
  createPrincipalSigner,
  createPrincipalVerifier,
  hasPermission,
  isPermission,
  isPlatform,
  isWorkforce,
  type Permission,
  type PrincipalVerifier,
  permissions,
  platformPrincipal,
  principalLifetimeMs,
  sessionsPrincipal,
  workforcePrincipal,
} from "./principal.ts";
export { relayedFailure } from "./relayed-failure.ts";
export { serviceDependency } from "./service-dependency.ts";
export {
  bindTo,
  createServiceHost,
  type Defer,
  type Opened,
  outageError,
  type RpcHandler,
  type ServiceContext,
  type ServiceHost,
  type ServiceOverrides,
} from "./service-host.ts";
