import type { Api } from "../support/api.ts";
import { definition, session, trigger, warmUp } from "./calls.ts";
import { type Flood, one } from "./flood.ts";
import { completedAtOnce, inTinyChunks, pipelined } from "./raw-requests.ts";
import type { WatchedServer } from "./server.ts";

const mib = 1024 * 1024;

/** Requests that are costly by how they arrive: in tiny pieces, behind one another, or completed in one moment. */
export async function* arrivals({ api }: WatchedServer): AsyncGenerator<Flood> {
  const agentId = await api.create("/api/agents", definition, "agentId");
  await warmUp(api, agentId);
  const path = `${await session(api, agentId)}/trigger`;
  const body = store("x".repeat(3 * mib));
  yield one("trigger, 3 MiB in chunks of 1 byte", 200, () => inTinyChunks(api, path, body));
  yield one("unknown path, the same", 404, () => inTinyChunks(api, "/unknown", body));
  yield one("20,000 pipelined GET /healthz", 200, () => pipelined(api, 20_000));
  yield* smallBodies(api);
  yield* manyFiles(api);
  const escapes = store("\u0001".repeat((10 * mib) / 6 - 100));
  yield one("trigger, 10 MiB of escapes", 200, await trigger(api, agentId, Buffer.from(escapes)));
}

async function* smallBodies(api: Api): AsyncGenerator<Flood> {
  for (const [name, value] of Object.entries(smallValues)) {
    const body = store(value());
    for (const count of [20, 100]) {
      yield one(`${count} bodies of almost 128 KiB, ${name}`, 404, () =>
        completedAtOnce(api, "/api/agent-sessions/ses_unknown/trigger", body, count),
      );
    }
  }
}

async function* manyFiles(api: Api): AsyncGenerator<Flood> {
  const entry = { filename: "a.txt", mediaType: "text/plain", size: 1 };
  for (const [name, value] of Object.entries({ "": entry, ", all wrong": { filename: "", size: 0.5 } })) {
    const files = Array.from({ length: 14_000 }, () => value);
    const body = JSON.stringify({ sessionId: "ses_unknown", files });
    yield one(`14,000 entries in files${name}`, 400, () =>
      api.send("POST", "/api/files/upload-urls", { body }),
    );
  }
}

/** Each is costly in a different way. A thread reads bodies of 128 KiB and more. */
const smallValues: Readonly<Record<string, () => unknown>> = {
  "short keys": () => Object.fromEntries(Array.from({ length: 11_000 }, (_, index) => [`k${index}`, 1])),
  "small objects": () => Array.from({ length: 12_000 }, (_, index) => ({ [index.toString(36)]: 1 })),
  "small values": () => Array.from({ length: 63_000 }, () => 1),
  escapes: () => '\n"'.repeat(31_000),
};

function store(value: unknown): string {
  return JSON.stringify({ triggerName: "store", input: { DATA: value } });
}
