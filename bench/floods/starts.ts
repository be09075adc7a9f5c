import { definition, message, warmUp } from "./calls.ts";
import { type Flood, together } from "./flood.ts";
import type { WatchedServer } from "./server.ts";

/** Many ordinary requests in one moment. */
export async function* starts(server: WatchedServer): AsyncGenerator<Flood> {
  const { api } = server;
  const agentId = await api.create("/api/agents", definition, "agentId");
  await warmUp(api, agentId);
  const body = JSON.stringify({ agentId, trigger: message("Hello") });
  const start = () => api.send("POST", "/api/agent-sessions/start", { body });
  // Earlier starts compile the code, as in a server that has been running.
  for (let count = 0; count < 200; count++) await start();
  yield together(
    server,
    "500 starts at once",
    200,
    Array.from({ length: 500 }, () => start),
  );
}
