import type { MessageInitShape } from "@bufbuild/protobuf";
import { AgentsService, Format } from "@muster/proto/agents";
import { AuthService, type ProjectLimitsSchema } from "@muster/proto/auth";
import { type NoticedDocument, SessionsService } from "@muster/proto/sessions";
import {
  callerOf,
  createInProcessTransport,
  createPrincipalVerifier,
  isPlatform,
  isWorkforce,
  mountPartial,
  Reason,
  rpcError,
  type Transport,
} from "@muster/rpc";
import { type Clock, type Secret, silentLogger } from "@muster/service";

/** The services that workforce calls, as far as hiring and dispatching need them, over the real RPC layer. */
export interface FakeServices {
  agents: Transport;
  auth: Transport;
  sessions: Transport;
  /** Protocols of agents: version 1 by the id, version 2 by `<id>@2`. */
  protocols: Map<string, string>;
  archived: Set<string>;
  /** The keys of agents by id. */
  /** Runs while a key is created. */
  beforeKey: () => Promise<void>;
  /** `agentId`: of a token, its computer. */
  keys: Map<string, { agentId: string; name: string; secret: string }>;
  /** Models that cannot be run, with the sentence why. */
  broken: Map<string, string>;
  limits: MessageInitShape<typeof ProjectLimitsSchema>;
  used: { totalFeeUsd: string; totalTokens: bigint };
  /** The messages of sessions by id, each as JSON. */
  conversations: Map<string, string[]>;
  usage: object;
  cleared: string[];
  /** The documents with events for webhooks. */
  noticed: NoticedDocument[];
  /** The URL as the last read of a session returned it. */
  filesBaseUrl: string;
  /** Services that refuse every call. */
  down: Set<"agents" | "auth" | "sessions">;
  /** The methods that were called. */
  calls: string[];
}

export const lou = "agt_definition";

export const plainProtocol = `
input:
  TOPIC: { type: string, optional: true, description: What it is about. }
triggers:
  user-message:
    input:
      TASK: { type: string, description: The message. }
      FILES: { type: "file[]", optional: true, description: Its files. }
capabilities:
  web-search: { description: May search., default: false }
  shell: { description: May run commands., default: true }
agent: { model: demo/echo, thinking: low, system: system }
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: user, input: [TASK] }
    Answer: { block: next-message }
`;

export function createFakeServices(principalSecrets: readonly Secret[], clock: Clock): FakeServices {
  const away = (name: "agents" | "auth" | "sessions", method: string) => {
    fake.calls.push(method);
    if (fake.down.has(name)) throw rpcError(Reason.UNAVAILABLE, `The ${name} service has stopped.`);
  };
  const missing = () => rpcError(Reason.NOT_FOUND, "It does not exist.");
  const agents = mountPartial(AgentsService, {
    listPrebuiltAgents: () => {
      away("agents", "listPrebuiltAgents");
      return {
        agents: [{ agentId: lou, slug: "log-analyst", version: 1, name: "Log analyst", description: "" }],
      };
    },
    getDefinition: ({ agentId, version = fake.protocols.has(`${agentId}@2`) ? 2 : 1 }, call) => {
      away("agents", "getDefinition");
      const protocol = fake.protocols.get(version === 1 ? agentId : `${agentId}@${version}`);
      if (protocol === undefined) throw missing();
      const format = protocol.includes("steps:") ? Format.WORKER : Format.INTERACTIVE;
      const prompts = ["system", "user"].map((name) => ({
        name,
        content: name === "user" ? "{{TASK}}" : "Work.",
      }));
      const definition = {
        settings: { slug: "lou", name: "Lou", format },
        protocol,
        prompts,
        references: [],
      };
      const agent = { id: agentId, projectId: callerOf(call).projectId, version, definition };
      return { agent, archived: fake.archived.has(agentId) };
    },
  });
  const auth = mountPartial(AuthService, {
    createApiKey: async ({ name, agentId: agent = "", computerId, permissions }, call) => {
      away("auth", "createApiKey");
      if (!isWorkforce(callerOf(call)) || permissions.join() !== (computerId ? "" : "workforce"))
        throw rpcError(Reason.FORBIDDEN, "No.");
      await fake.beforeKey();
      const agentId = computerId ?? agent;
      const id = `key_${fake.keys.size + 1}`;
      const secret = `svc_agt_${id}`;
      fake.keys.set(id, { agentId, name, secret });
      return { apiKey: { id, name, agentId, permissions }, secret };
    },
    listApiKeys: ({ computerId, agentId = computerId }) => {
      away("auth", "listApiKeys");
      const keys = [...fake.keys].filter(([, key]) => key.agentId === agentId);
      return { apiKeys: keys.map(([id, { name }]) => ({ id, name })) };
    },
    deleteApiKey: ({ id, computerId, agentId = computerId }) => {
      away("auth", "deleteApiKey");
      if (fake.keys.get(id)?.agentId !== agentId) throw missing();
      fake.keys.delete(id);
      return {};
    },
    getProjectLimits: (_request, call) => {
      away("auth", "getProjectLimits");
      if (!isPlatform(callerOf(call)) && !isWorkforce(callerOf(call)))
        throw rpcError(Reason.FORBIDDEN, "No.");
      return { limits: fake.limits };
    },
  });
  const sessions = mountPartial(SessionsService, {
    checkModels: ({ models }) => {
      away("sessions", "checkModels");
      const problems = models.flatMap((model) => {
        const message = fake.broken.get(model);
        return message === undefined ? [] : [{ model, message }];
      });
      return { problems };
    },
    sumUsage: () => {
      away("sessions", "sumUsage");
      return fake.used;
    },
    listNotices: () => ({ documents: fake.noticed }),
    dropNotice: ({ documentId, noticeId }) => {
      for (const document of fake.noticed.filter(({ id }) => id === documentId)) {
        document.notices = document.notices.filter(({ id }) => id !== noticeId);
        document.published += 1;
      }
      fake.noticed = fake.noticed.filter(({ notices }) => notices.length > 0);
      return {};
    },
    getSession: async function* ({ sessionId, filesBaseUrl }) {
      away("sessions", "getSession");
      fake.filesBaseUrl = filesBaseUrl;
      const messages = fake.conversations.get(sessionId);
      if (messages === undefined) throw missing();
      const text = messages.join(",");
      yield {
        session: { id: sessionId, active: true, usageJson: JSON.stringify(fake.usage) },
        messagesJson: text.slice(0, 10),
      };
      if (text.length > 10) yield { messagesJson: text.slice(10) };
    },
    clearSession: ({ sessionId }) => {
      away("sessions", "clearSession");
      fake.cleared.push(sessionId);
      return {};
    },
  });
  const handling = { verifier: createPrincipalVerifier(principalSecrets, clock), log: silentLogger };
  const fake: FakeServices = {
    agents: createInProcessTransport([agents], handling),
    auth: createInProcessTransport([auth], handling),
    sessions: createInProcessTransport([sessions], handling),
    protocols: new Map([[lou, plainProtocol]]),
    archived: new Set(),
    beforeKey: async () => undefined,
    keys: new Map(),
    broken: new Map(),
    limits: {},
    used: { totalFeeUsd: "0", totalTokens: 0n },
    conversations: new Map(),
    usage: {},
    cleared: [],
    noticed: [],
    filesBaseUrl: "",
    down: new Set(),
    calls: [],
  };
  return fake;
}
