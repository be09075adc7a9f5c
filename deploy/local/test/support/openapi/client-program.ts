/** A user's program with a generated client. It is written beside the generated `schema.ts`, type-checked and run. */
export const clientProgram = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

type StreamEvent = components["schemas"]["StreamEvent"];

const [baseUrl = "", key = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });

const created = await client.POST("/api/agent-sessions", { body: { agentSlug: "support-chat" } });
if (created.error) throw new Error(created.error.error);
const { sessionId } = created.data;
const path = { sessionId };

const turn = await client.POST("/api/agent-sessions/{sessionId}/trigger", {
  params: { path },
  body: { triggerName: "user-message", input: { USER_MESSAGE: "Hello there" } },
  parseAs: "text",
});
if (turn.error) throw new Error(turn.error.error);
let text = "";
for (const frame of turn.data.split("\\n\\n")) {
  if (!frame.startsWith("data: {")) continue;
  const event: StreamEvent = JSON.parse(frame.slice("data: ".length));
  if (event.type === "text-delta") text += event.delta;
  if (event.type === "error") throw new Error(event.message);
}

const read = await client.GET("/api/agent-sessions/{sessionId}", { params: { path } });
if (read.error) throw new Error(read.error.error);
const messages = read.data.status === "active" ? read.data.messages.map(({ role }) => role) : [];

const refused = await client.POST("/api/agent-sessions", { body: { agentSlug: "nobody" } });
type Code = NonNullable<typeof refused.error>["code"];
const code: Code | undefined = refused.error?.code;

// The uses that the document rules out do not compile.
export const wrong = () => {
  // @ts-expect-error an id is a string
  void client.POST("/api/agent-sessions", { body: { agentId: 1 } });
  // @ts-expect-error a session never has this code
  const other: Code = "SLUG_TAKEN";
  // @ts-expect-error this event does not exist
  const type: StreamEvent["type"] = "unheard-of";
  return [other, type];
};
console.log(JSON.stringify({ text, messages, code }));
`;
