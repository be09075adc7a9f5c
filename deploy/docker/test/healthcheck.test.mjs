import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { readAgentsConfig } from "@muster/agents";
import { readAuthConfig } from "@muster/auth";
import { readGatewayConfig } from "@muster/gateway";
import { EchoService } from "@muster/proto/testing";
import { readRecorderConfig } from "@muster/recorder/config";
import { createServiceHost, mountPartial } from "@muster/rpc";
import { Secret, silentLogger } from "@muster/service";
import { readSessionsConfig } from "@muster/sessions";
import { readWorkforceConfig } from "@muster/workforce/config";
import { onTestFinished, test } from "vitest";
import { checkHealth, listeners } from "../healthcheck.mjs";

const commandLine = (name) => ["node", "/app/node_modules/.bin/muster", "serve", name, ""];

async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return String(server.address().port);
}

async function startService(dependencies) {
  const host = createServiceHost({
    name: "echo",
    config: { listen: { host: "127.0.0.1", port: 0 }, principalSecrets: [new Secret("only for this test")] },
    overrides: { log: silentLogger },
    mount: () => mountPartial(EchoService, {}),
    open: async () => ({ context: {}, dependencies }),
  });
  await host.start();
  onTestFinished(() => host.stop());
  return host.address.split(":").at(-1);
}

test("a service that responds is healthy, also while its store does not respond", async () => {
  const gone = { name: "store", check: () => Promise.reject(new Error("gone")) };
  for (const dependencies of [[], [gone]]) {
    const AUTH_PORT = await startService(dependencies);
    await checkHealth(commandLine("auth"), { AUTH_PORT });
    await checkHealth(["/sbin/docker-init", "--", ...commandLine("auth")], {
      AUTH_PORT,
      AUTH_HOST: "0.0.0.0",
    });
  }
});

test("a gateway that responds to /healthz is healthy, and one that fails is not", async () => {
  let status = 200;
  const server = createServer(({ url }, response) =>
    response.writeHead(url === "/healthz" ? status : 500).end(),
  );
  const PORT = await listen(server);
  for (const name of ["all", "gateway"]) await checkHealth(commandLine(name), { PORT, HOST: " 127.0.0.1 " });
  status = 503;
  await assert.rejects(checkHealth(commandLine("all"), { PORT }), /responds with 503/);
});

test("a process that does not listen, or does not speak its protocol, is unhealthy", async () => {
  const port = await listen(
    createTcpServer((socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end("nonsense\r\n\r\n"),
    ),
  );
  for (const name of Object.keys(listeners)) {
    const [, variable] = listeners[name];
    await assert.rejects(checkHealth(commandLine(name), { [variable]: port }), name);
    await assert.rejects(checkHealth(commandLine(name), { [variable]: "1" }), name);
  }
});

test("a command line without the name of a process is unhealthy", async () => {
  for (const words of [["sh"], commandLine("constructor"), ["muster", "serve"]])
    await assert.rejects(checkHealth(words, {}), /is not a process of Muster/);
});

test("the health check knows the usual port of every process", () => {
  const address = "127.0.0.1:1";
  const required = {
    ...{ MUSTER_PRINCIPAL_SECRET: "0123456789abcdef0123456789abcdef", MUSTER_SECRETS_KEY: "0".repeat(64) },
    ...{ MONGODB_URI: "mongodb://127.0.0.1", NATS_URL: "nats://127.0.0.1", FILES_DIRECTORY: "/files" },
    ...{
      AUTH_ADDRESSES: address,
      AGENTS_ADDRESSES: address,
      SESSIONS_ADDRESSES: address,
      WORKFORCE_ADDRESSES: address,
    },
  };
  const portOf = {
    all: readGatewayConfig(required).port,
    gateway: readGatewayConfig(required).port,
    auth: readAuthConfig(required).listen.port,
    agents: readAgentsConfig(required).listen.port,
    sessions: readSessionsConfig(required).listen.port,
    workforce: readWorkforceConfig(required).listen.port,
    recorder: readRecorderConfig(required).listen.port,
  };
  const known = Object.entries(listeners).map(([name, [, , port]]) => [name, port]);
  assert.deepEqual(Object.fromEntries(known), portOf);
});
