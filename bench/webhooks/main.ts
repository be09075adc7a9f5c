/** How soon receivers of webhooks learn of changes while one of them hangs; see `bench/README.md`. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { record } from "@muster/testing";
import { Api } from "../support/api.ts";
import { percentile, print, printAtMost } from "../support/figures.ts";
import { listen } from "../support/provider.ts";
import { createHome } from "../support/server.ts";

const receivers = 10;
const targetMs = 2_000;

const { values } = parseArgs({
  options: {
    /** Changes per second, each of which all webhooks receive. */
    rate: { type: "string", default: "30" },
    seconds: { type: "string", default: "20" },
  },
});
const rate = Number(values.rate);
const changes = rate * Number(values.seconds);

/** The times from a change to its delivery, by receiver. The first receiver never answers. */
const delays = Array.from({ length: receivers }, (): number[] => []);
const receiver = createServer(async (request, response) => {
  const index = Number(request.url?.slice(1));
  const body = Buffer.concat(await request.toArray()).toString();
  if (index === 0) return;
  delays[index]?.push(Date.now() - Date.parse(String(record(JSON.parse(body)).timestamp)));
  response.writeHead(204).end();
});
/** Models that never answer, so that each agent is busy with its first thread. */
const models = createServer(() => undefined);
const receiverUrl = `http://127.0.0.1:${await listen(receiver)}`;
const modelsUrl = `http://127.0.0.1:${await listen(models)}`;

const home = await createHome({
  models: modelsUrl,
  env: { WEBHOOK_ALLOWED_HOSTS: "127.0.0.1", LOG_LEVEL: "error", MODEL_FIRST_PART_TIMEOUT_MS: "600000" },
});
const server = await home.start();
const api = new Api(server.url, home.key, 16);
try {
  const agent = { name: "Ann", prebuilt: "log-analyst", settings: { model: "local/busy" } };
  const agentId = await api.create("/api/admin/workforce/agents", agent, "agentId");
  const path = `/api/admin/workforce/agents/${agentId}/threads`;
  const busy = await api.create(path, { message: "Wait." }, "threadId");
  while ((await api.json("GET", `${path}/${busy}`)).status !== "running") await sleep(50);
  for (let index = 0; index < receivers; index++) {
    const webhook = { url: `${receiverUrl}/${index}`, events: ["thread.cancelled"] };
    await api.json("POST", "/api/admin/webhooks", { body: webhook });
  }
  const startedMs = performance.now();
  const change = async (number: number) => {
    const dueMs = startedMs + (number * 1_000) / rate;
    await sleep(Math.max(0, dueMs - performance.now()));
    const threadId = await api.create(path, { message: "Wait." }, "threadId");
    await api.json("DELETE", `${path}/${threadId}`);
  };
  await Promise.all(Array.from({ length: changes }, (_, number) => change(number)));
  const expected = changes * (receivers - 1);
  for (let waits = 0; delays.flat().length < expected && waits < 600; waits++) await sleep(100);
  const tookS = (performance.now() - startedMs) / 1_000;
  const all = delays.flat();
  const perSecond = all.length / tookS;
  print({
    name: "events per second",
    values: [perSecond],
    note: "at least 200",
    isReached: perSecond >= 200,
  });
  print({
    ...{ name: "events that arrived, without those of the receiver that hangs", values: [all.length] },
    ...{ note: `of ${expected}`, isReached: all.length === expected },
  });
  print({ name: "from a change to its delivery, median (ms)", values: [percentile(all, 0.5)] });
  printAtMost("from a change to its delivery, p99", percentile(all, 0.99), targetMs, "ms");
} finally {
  await api.close();
  await server.stop();
  await home.remove();
  receiver.closeAllConnections();
  receiver.close();
  models.closeAllConnections();
  models.close();
}
