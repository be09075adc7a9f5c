import type { Catalog } from "@muster/catalog";
import type { Models } from "@muster/models";
import { SessionsService } from "@muster/proto/sessions";
import {
  createInProcessTransport,
  createPrincipalVerifier,
  createRpcClient,
  mountPartial,
} from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { MongoClient } from "mongodb";
import { createContext } from "../../src/context.ts";
import { trigger } from "../../src/rpc/trigger.ts";
import type { World } from "./harness.ts";

/** The trigger alone, in this process. Its store commands are counted, and the test can access its store. */
export async function startBare(
  t: { onTestFinished(fn: () => Promise<void>): void },
  world: World,
  {
    models = world.createModels(),
    catalog,
    ...timings
  }: { models?: Models; catalog?: Catalog; earlySaveMs?: number } = {},
) {
  const mongo = new MongoClient(world.store.uri, { monitorCommands: true });
  t.onTestFinished(() => mongo.close());
  const commands: string[] = [];
  mongo.on("commandStarted", ({ commandName, command }) =>
    commands.push(`${commandName} ${command[commandName]}`),
  );
  const { uri, databasePrefix } = world.store;
  const { principalSecrets, bus, clock, agents, auth } = world;
  const context = createContext(
    {
      store: { uri, databasePrefix },
      principalSecrets,
      executionLog: { isOn: false },
      // On a slow machine, events would be stored during the turn, too.
      timings: { flushEventsEveryMs: 600_000, ...timings },
    },
    {
      bus,
      log: silentLogger,
      models,
      agents: agents.transport,
      auth: auth.transport,
      clock,
      ...(catalog && { catalog }),
    },
    mongo.db(`${databasePrefix}_sessions`),
    new AbortController().signal,
  );
  const mounted = mountPartial(SessionsService, {
    trigger: (request, call) => trigger(context, request, call),
  });
  const verifier = createPrincipalVerifier(principalSecrets, clock);
  const transport = createInProcessTransport([mounted], { verifier, log: silentLogger });
  return { client: createRpcClient(SessionsService, transport), commands, context };
}
