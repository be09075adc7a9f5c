import type { MessageInitShape } from "@bufbuild/protobuf";
import { AuthService, type ResolveProviderKeysResponseSchema } from "@muster/proto/auth";
import {
  type ApprovalRules,
  callerOf,
  createInProcessTransport,
  createPrincipalVerifier,
  forbidden,
  isPlatform,
  mountPartial,
  Reason,
  rpcError,
  type Transport,
} from "@muster/rpc";
import { type Clock, type Secret, silentLogger } from "@muster/service";

type Services = Pick<
  MessageInitShape<typeof ResolveProviderKeysResponseSchema>,
  "mcpServers" | "toolHosts" | "toolSecrets"
>;

type Limits = Pick<MessageInitShape<typeof ResolveProviderKeysResponseSchema>, "limits" | "keyLimits">;

export interface FakeAuth {
  transport: Transport;
  /** The project's own keys by provider. */
  set(projectId: string, keys: Record<string, string | { problem: string }>): void;
  /** The project's rules of approval. */
  setApprovals(projectId: string, rules: ApprovalRules): void;
  /** The project's MCP servers and the hosts of its HTTP tools. */
  setServices(projectId: string, services: Services): void;
  /** The monthly limits of the project and its keys. */
  setLimits(projectId: string, limits: Limits): void;
  /** The projects whose keys were asked for, in order. */
  readonly asked: string[];
  /** Refuses every call while set. */
  isDown: boolean;
}

/** The part of the auth service that knows the projects' keys for model providers. */
export function createFakeAuth(principalSecrets: readonly Secret[], clock: Clock): FakeAuth {
  const projects = new Map<string, Record<string, string | { problem: string }>>();
  const approvals = new Map<string, ApprovalRules>();
  const services = new Map<string, Services>();
  const limits = new Map<string, Limits>();
  const mounted = mountPartial(AuthService, {
    resolveProviderKeys: ({ projectId }, call) => {
      if (!isPlatform(callerOf(call))) throw forbidden("Only the platform.");
      fake.asked.push(projectId);
      if (fake.isDown) throw rpcError(Reason.UNAVAILABLE, "The store does not respond.");
      const keys = Object.entries(projects.get(projectId) ?? {});
      return {
        providerKeys: keys.map(([provider, key]) => ({
          provider,
          result:
            typeof key === "string" ? { case: "key", value: key } : { case: "problem", value: key.problem },
        })),
        approvals: approvals.get(projectId) ?? {},
        ...services.get(projectId),
        ...limits.get(projectId),
      };
    },
  });
  const verifier = createPrincipalVerifier(principalSecrets, clock);
  const fake: FakeAuth = {
    transport: createInProcessTransport([mounted], { verifier, log: silentLogger }),
    set: (projectId, keys) => void projects.set(projectId, keys),
    setApprovals: (projectId, rules) => void approvals.set(projectId, rules),
    setLimits: (projectId, given) => void limits.set(projectId, given),
    setServices: (projectId, given) => void services.set(projectId, given),
    asked: [],
    isDown: false,
  };
  return fake;
}
