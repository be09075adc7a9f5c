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
  const threadsOf = async (path: string): Promise<string[]> => {
    const titles: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await api.json("GET", `${path}/threads?limit=100${cursor && `&cursor=${cursor}`}`);
      const threads: unknown = page.threads;
      if (Array.isArray(threads)) titles.push(...threads.map((thread) => String(record(thread).title)));
      if (typeof page.nextCursor !== "string") return titles;
      cursor = page.nextCursor;
    }
  };
  /** Posts all events at the same moment to a hook of a new agent, and waits until they are dispatched. */
  const flood = async (name: string) => {
    const agent = { name, prebuilt: "log-analyst", settings: { model: "local/busy" } };
    const path = `/api/admin/workforce/agents/${await api.create("/api/admin/workforce/agents", agent, "agentId")}`;
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
    let titles = await threadsOf(path);
    for (let waits = 0; titles.length < events && waits < 600; waits++) {
      await sleep(100);
      titles = await threadsOf(path);
    }
    return {
      tookMs,
      titles: new Set(titles),
      count: titles.length,
      seconds: (performance.now() - beganMs) / 1_000,
    };
  };
  const floods = [await flood("Ann"), await flood("Ben")] as const;
  const [first, second] = floods;
  for (const [index, { tookMs, titles, count, seconds }] of floods.entries()) {
    const when = index === 0 ? "first" : "second";
    print({
      ...{ name: `${when} flood: events that were answered with 202`, values: [tookMs.length] },
      ...{ note: `of ${events}`, isReached: tookMs.length === events },
    });
    print({
      ...{ name: `${when} flood: messages; different ones`, values: [count, titles.size] },
      ...{ note: `${events} of each`, isReached: count === events && titles.size === events },
    });
    print({ name: `${when} flood: until the last one was dispatched (s)`, values: [seconds] });
  }
  printAtMost(
    "first flood, just after the start: p99 of the 202",
    percentile(first.tookMs, 0.99),
    undefined,
    "ms",
  );
  print({ name: "second flood: median of the 202 (ms)", values: [percentile(second.tookMs, 0.5)] });
  printAtMost("second flood: p99 of the 202", percentile(second.tookMs, 0.99), targetMs, "ms");
} finally {
  await api.close();
  await server.stop();
  await home.remove();
  models.closeAllConnections();
  models.close();
}
