/** The CPU time of a streamed turn in each dialect, compared with the same turn of the native API; see `bench/README.md`. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { Pace } from "../stream/pace.ts";
import { definition } from "../stream/targets.ts";
import { Api } from "../support/api.ts";
import { median, medianRatio, print } from "../support/figures.ts";
import { startHelper } from "../support/processes.ts";
import { createHome } from "../support/server.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const rounds = Number(values.rounds);
const agentSlug = "bench-even" satisfies Pace;
const text = "Hello";
/** The chats at once, and the turns of each in a round. */
const chats = 8;
const turns = 5;
const targetRatio = 1.1;

const provider = await startHelper(new URL("../stream/provider.ts", import.meta.url));
const home = await createHome({ models: `http://127.0.0.1:${provider.port}/v1`, isWatched: true });
const server = await home.start();
const api = new Api(server.url, home.key, 2 * chats);

/** Runs one turn of a chat. */
type RunTurn = () => Promise<void>;

const post = async (path: string, body: object): Promise<string> => {
  const reply = await api.send("POST", path, { body });
  if (!reply.text.includes("word63")) throw new Error(`POST ${path}: ${reply.status} ${reply.text}`);
  return reply.text;
};
const newSession = () => api.create("/api/agent-sessions", { agentSlug }, "sessionId");
const message = () => ({ id: randomUUID(), role: "user" });

/** Opens a chat of each client. */
const dialects: Readonly<Record<string, () => Promise<RunTurn>>> = {
  native: async () => {
    const path = `/api/agent-sessions/${await newSession()}/trigger`;
    const body = { triggerName: "user-message", input: { USER_MESSAGE: text }, onDisconnect: "continue" };
    return async () => void (await post(path, body));
  },
  "AI SDK": async () => {
    const id = randomUUID();
    const parts = [{ type: "text", text }];
    return async () =>
      void (await post("/api/ui/chat", { id, agentSlug, messages: [{ ...message(), parts }] }));
  },
  "chat completions": async () => {
    const metadata = { session_id: await newSession() };
    const messages = [{ role: "user", content: text }];
    const body = { model: `muster/${agentSlug}`, stream: true, metadata, messages };
    return async () => void (await post("/v1/chat/completions", body));
  },
  responses: async () => {
    let previous: string | undefined;
    return async () => {
      const body = { model: `muster/${agentSlug}`, stream: true, input: text };
      const events = await post("/v1/responses", {
        ...body,
        ...(previous && { previous_response_id: previous }),
      });
      previous = /"id":"(resp_[^"]+)"/.exec(events)?.[1];
    };
  },
  "AG-UI": async () => {
    const threadId = randomUUID();
    const rest = { state: {}, tools: [], context: [], forwardedProps: {} };
    return async () => {
      const messages = [{ ...message(), content: text }];
      await post(`/api/ag-ui/${agentSlug}`, { threadId, runId: randomUUID(), messages, ...rest });
    };
  },
};

/** The CPU time of one turn, in milliseconds. The first turn of each chat, which opens it, is not counted. */
async function measure(open: () => Promise<RunTurn>): Promise<number> {
  const opened = await Promise.all(Array.from({ length: chats }, open));
  await Promise.all(opened.map((run) => run()));
  const { cpuMs: before = 0 } = await server.ask("cpu");
  await Promise.all(
    opened.map(async (run) => {
      for (let turn = 0; turn < turns; turn++) await run();
    }),
  );
  const { cpuMs: after = 0 } = await server.ask("cpu");
  return (after - before) / (chats * turns);
}

try {
  await api.create("/api/agents", definition(agentSlug), "agentId");
  const names = Object.keys(dialects);
  const spent = new Map(names.map((name) => [name, [] as number[]]));
  // The first rounds, in which all code becomes fast, do not count.
  for (let round = -2; round < rounds; round++)
    for (const [name, open] of Object.entries(dialects)) {
      const ms = await measure(open);
      if (round >= 0) spent.get(name)?.push(ms);
    }
  const native = spent.get("native") ?? [];
  print({ name: "native: CPU of a turn (ms)", values: [median(native)] });
  for (const [name, values] of [...spent].slice(1)) {
    const ratio = medianRatio(values, native);
    print({
      ...{ name: `${name}: CPU of a turn (ms); times the native one`, values: [median(values), ratio] },
      ...{ note: `at most ${targetRatio}`, isReached: ratio <= targetRatio },
    });
  }
} finally {
  await api.close();
  await server.stop();
  await home.remove();
  await provider.stop();
}
