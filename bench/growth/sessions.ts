import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { startEmbeddedStore } from "@muster/embedded-store";
import { createInProcessBus } from "@muster/events";
import { createModels, readModelsConfig } from "@muster/models";
import { SessionsService, View } from "@muster/proto/sessions";
import {
  callOptions,
  createInProcessTransport,
  createPrincipalSigner,
  createPrincipalVerifier,
  createRpcClient,
} from "@muster/rpc";
import { Secret, silentLogger, systemClock } from "@muster/service";
import { openStore } from "@muster/store";
import { createSessionsService } from "../../services/sessions/src/index.ts";
import { chat } from "../../services/sessions/test/support/definitions.ts";
import { startFakeAgents } from "../../services/sessions/test/support/fake-agents.ts";
import { createFakeAuth } from "../../services/sessions/test/support/fake-auth.ts";
import { seed } from "./seed.ts";

export const managed = { threshold: 0.8, localContextTokens: 32_000 };

/** The sessions service on this thread, with the store and a provider on threads of their own, and its caller. */
export async function startSessions() {
  const closers: Array<() => Promise<unknown>> = [];
  const directory = await mkdtemp(join(tmpdir(), "muster-growth-"));
  closers.unshift(() => rm(directory, { recursive: true }));
  const store = await startEmbeddedStore({ directory });
  closers.unshift(() => store.stop());
  const seeding = await openStore({ uri: store.uri, database: "growth_sessions", log: silentLogger });
  closers.unshift(() => seeding.close());
  const worker = new Worker(new URL("provider.ts", import.meta.url));
  closers.unshift(() => worker.terminate());
  const [provider]: string[] = await once(worker, "message");
  const principalSecrets = [new Secret("growth")];
  const scope = { onTestFinished: (close: () => Promise<unknown>) => void closers.unshift(close) };
  const agents = await startFakeAgents(scope, principalSecrets, systemClock);
  agents.set("agt_chat", [chat]);
  const management = `agent:\n  contextManagement: { thresholdPercent: ${managed.threshold} }\n`;
  agents.set("agt_managed", [{ ...chat, protocol: chat.protocol.replace("agent:\n", management) }]);
  const { localContextTokens } = managed;
  const service = createSessionsService(
    { store: { uri: store.uri, databasePrefix: "growth" }, principalSecrets, localContextTokens },
    {
      bus: createInProcessBus({ log: silentLogger }),
      log: silentLogger,
      models: createModels(readModelsConfig({ LOCAL_BASE_URL: `${provider}/v1` })),
      agents: agents.transport,
      auth: createFakeAuth(principalSecrets, systemClock).transport,
    },
  );
  await service.start();
  closers.unshift(() => service.stop());
  const verifier = createPrincipalVerifier(principalSecrets, systemClock);
  const transport = createInProcessTransport(service.mounted, { verifier, log: silentLogger });
  const client = createRpcClient(SessionsService, transport);
  const signer = createPrincipalSigner(principalSecrets, systemClock);
  const as = () => {
    const permissions = new Set(["sessions"] as const);
    const principal = signer.sign({
      projectId: "prj_test",
      keyId: "key_bench",
      permissions,
      anyProject: false,
    });
    return callOptions({ principal, requestId: "req_bench" });
  };

  return {
    create: async (agentId: "agt_chat" | "agt_managed" = "agt_chat"): Promise<string> => {
      const inputJson = JSON.stringify({ MODEL: "local/bench" });
      return (await client.createSession({ agentId, inputJson }, as())).sessionId;
    },
    /** Gives a session so many messages, and a summary of the first ones. */
    seed: (sessionId: string, count: number, through = 0) => seed(seeding.db, sessionId, count, { through }),
    turn: async (sessionId: string, afterMessageId?: string): Promise<void> => {
      const rollback = afterMessageId === undefined ? {} : { rollback: { afterMessageId } };
      const request = { sessionId, triggerName: "say", inputJson: '{"TEXT":"hi"}', ...rollback };
      let last = "";
      for await (const { events } of client.trigger(request, as())) last = events.at(-1)?.type ?? last;
      if (last !== "finish") throw new Error(`A turn ended with ${last}`);
    },
    /** The JSON of messages, without the brackets around it. */
    read: async (sessionId: string, limit?: number): Promise<string> => {
      let json = "";
      const request = { sessionId, view: View.UI, ...(limit !== undefined && { limit }) };
      for await (const { messagesJson } of client.getSession(request, as())) json += messagesJson;
      return json;
    },
    /** The body of the latest model call. */
    latestCall: async () => (await fetch(`${provider}/`)).text(),
    /** The model call of a turn, without anything of ours around it: the messages as JSON, to the provider and back. */
    callDirectly: async (body: unknown): Promise<void> => {
      const headers = { "content-type": "application/json" };
      await (await fetch(`${provider}/`, { method: "POST", body: JSON.stringify(body), headers })).text();
    },
    stop: async () => {
      for (const close of closers) await close();
    },
  };
}
