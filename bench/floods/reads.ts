import { definition, message, session } from "./calls.ts";
import { type Flood, together } from "./flood.ts";
import type { WatchedServer } from "./server.ts";

const mib = 1024 * 1024;

/** Many readers of large data in one moment. */
export async function* reads(server: WatchedServer): AsyncGenerator<Flood> {
  const { api } = server;
  const agentId = await api.create("/api/agents", largeDefinition, "agentId");
  yield together(
    server,
    "read a definition of 3 MB, 40 at once",
    200,
    times(40, () => api.send("GET", `/api/agents/${agentId}`)),
  );
  // It is made with the first request.
  await api.send("GET", "/openapi.json");
  yield together(
    server,
    "read openapi.json, 100 at once",
    200,
    times(100, () => api.send("GET", "/openapi.json")),
  );
  const path = await session(api, agentId);
  const asked = await api.send("POST", `${path}/trigger`, { body: message("Look it up.") });
  const toolCallId = /"toolCallId":"([^"]+)"/.exec(asked.text)?.[1];
  const result = {
    toolCallId,
    result: Array.from({ length: 6_000 }, (_, id) => ({ id, text: "x".repeat(500) })),
  };
  await api.send("POST", `${path}/trigger`, { body: { triggerName: "user-message", toolResults: [result] } });
  yield together(
    server,
    "read a session with a result of 3 MB, 20 at once",
    200,
    times(20, () => api.send("GET", path)),
  );
}

/** A definition with the largest prompts and references that are allowed. */
const largeDefinition = {
  ...definition,
  prompts: [
    ...definition.prompts,
    ...Array.from({ length: 16 }, (_, n) => ({ name: `note-${n}`, content: "x ".repeat(mib / 34) })),
  ],
  references: Array.from({ length: 8 }, (_, n) => ({
    name: `reference-${n}`,
    description: "Notes",
    content: "Some words.\n".repeat(mib / 49),
  })),
};

function times<T>(count: number, request: () => T): Array<() => T> {
  return Array.from({ length: count }, () => request);
}
