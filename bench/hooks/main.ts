/** How soon senders are answered who post to a hook at once, and whether each event is one message; see `bench/README.md`. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { record } from "@muster/testing";
import { Api } from "../support/api.ts";
import { percentile, print, printAtMost } from "../support/figures.ts";
import { listen } from "../support/provider.ts";
import { createHome } from "../support/server.ts";

const secret = "a secret of the sender";
const targetMs = 1_000;

const { values } = parseArgs({ options: { events: { type: "string", default: "1000" } } });
const events = Number(values.events);

/** Models that never answer: the agent keeps its first thread, and the others wait. */
const models = createServer(() => undefined);
const modelsUrl = `http://127.0.0.1:${await listen(models)}`;
const home = await createHome({ models: modelsUrl, env: { LOG_LEVEL: "error" } });
const server = await home.start();
const api = new Api(server.url, home.key);
try {
  const agent = { name: "Ann", prebuilt: "log-analyst", settings: { model: "local/busy" } };
  const agentId = await api.create("/api/admin/workforce/agents", agent, "agentId");
  const path = `/api/admin/workforce/agents/${agentId}`;
  const fields = { name: "Load", verify: { type: "bearer", secret }, message: "Event {{N}}" };
  const url = await api.create(`${path}/hooks`, fields, "url");
  const tookMs: number[] = [];
  const post = async (n: number) => {
    const beganMs = performance.now();
    const { status } = await api.send("POST", url, { body: { n }, key: secret });
    if (status === 202) tookMs.push(performance.now() - beganMs);
  };
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: events }, (_, n) => post(n)));
  const titles: string[] = [];
  const titlesOf = async () => {
    titles.length = 0;
    for (let cursor = ""; ; ) {
      const page = await api.json("GET", `${path}/threads?limit=100${cursor && `&cursor=${cursor}`}`);
      const threads: unknown = page.threads;
      if (Array.isArray(threads)) titles.push(...threads.map((thread) => String(record(thread).title)));
      if (typeof page.nextCursor !== "string") return titles.length;
      cursor = page.nextCursor;
    }
  };
  for (let waits = 0; (await titlesOf()) < events && waits < 600; waits++) await sleep(100);
  const dispatchedS = (performance.now() - beganMs) / 1_000;
  const distinct = new Set(titles).size;
  print({
    ...{ name: "events that were answered with 202", values: [tookMs.length], note: `of ${events}` },
    isReached: tookMs.length === events,
  });
  print({ name: "from a request to its 202, median (ms)", values: [percentile(tookMs, 0.5)] });
  printAtMost("from a request to its 202, p99", percentile(tookMs, 0.99), targetMs, "ms");
  print({
    ...{ name: "messages; different ones", values: [titles.length, distinct], note: `${events} of each` },
    isReached: titles.length === events && distinct === events,
  });
  print({ name: "until the last one was dispatched (s)", values: [dispatchedS] });
} finally {
  await api.close();
  await server.stop();
  await home.remove();
  models.closeAllConnections();
  models.close();
}
