import { TestClient, until } from "@muster/testing";

interface Gateway {
  url: string;
  admin: TestClient;
}

export type HttpAgent = Awaited<ReturnType<typeof hireOverHttp>>;

/** Hires an agent with a computer of the kind. Its callers use its own key. */
export async function hireOverHttp({ url, admin }: Gateway, definitionId: string, kind: string) {
  const body = { name: "Lou", agentId: definitionId, computer: { kind, os: "linux" } };
  const { agentId, key } = await admin.json(201, "POST", "/api/admin/workforce/agents", body);
  const own = new TestClient(url, String(key));
  const path = `/api/v1/workforce/agents/${String(agentId)}`;
  return {
    agentId: String(agentId),
    tokens: `/api/admin/workforce/agents/${String(agentId)}/computer-tokens`,
    state: async () => {
      const { status, unavailableReason } = await own.json(200, "GET", path);
      return `${status} ${unavailableReason}`;
    },
    start: async (message: string, files: object[] = []) =>
      `${path}/threads/${await own.field("threadId", 201, "POST", `${path}/threads`, { message, files })}`,
    read: (thread: string) => own.json(200, "GET", thread),
    cancel: (thread: string) => own.json(200, "POST", `${thread}/cancel`, {}),
    ended: async (thread: string, withinMs?: number) => {
      let body: Record<string, unknown> = {};
      await until(
        "the thread has ended",
        async () => {
          body = await own.json(200, "GET", `${thread}?wait=5`);
          return ["completed", "failed", "cancelled", "blocked"].includes(String(body.status));
        },
        withinMs,
      );
      return body;
    },
  };
}
