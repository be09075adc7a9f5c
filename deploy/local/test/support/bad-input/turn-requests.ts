import { aboutSessions, ofAnyBody } from "./any-request.ts";
import { type BadRequest, invalid, type Names, of, requests, wrongInput } from "./bad-request.ts";

export function turnRequests(names: Names): BadRequest[] {
  const { idle, expired, call } = names;
  const rows: BadRequest[] = [];
  const add = (...request: Parameters<typeof requests>) => rows.push(...requests(...request));
  const addSessions = (method: string, rest: string, body?: object) =>
    rows.push(...aboutSessions(names.idle, method, rest, body));
  const say = (more: object = {}) => ({
    triggerName: "user-message",
    input: { USER_MESSAGE: "Hi" },
    ...more,
  });
  addSessions("POST", "/trigger", say());
  add("POST", of(idle, "/trigger"), {
    ...ofAnyBody(say()),
    "without a trigger": invalid({ body: {} }),
    "with an unknown trigger": {
      status: 400,
      code: "UNKNOWN_TRIGGER",
      body: say({ triggerName: "constructor" }),
    },
    "with an empty trigger": invalid({ body: say({ triggerName: "" }), issue: /triggerName/ }),
    "without its input": wrongInput({ triggerName: "user-message" }),
    "with an input of the wrong type": wrongInput(say({ input: { USER_MESSAGE: ["Hi"] } })),
    "with a list as input": invalid({ body: say({ input: [] }), issue: /input/ }),
    "with an unknown policy": invalid({ body: say({ onDisconnect: "wait" }), issue: /onDisconnect/ }),
    "with stream as text": invalid({ body: say({ stream: "false" }), issue: /stream/ }),
    "with usage as text": invalid({ body: say({ usage: "yes" }), issue: /usage/ }),
    "with a sender that is text": invalid({ body: say({ sender: "Ann" }), issue: /sender/ }),
    "with a number as the sender's name": invalid({
      body: say({ sender: { name: 7 } }),
      issue: /sender\.name/,
    }),
    "with a sender of 3,000 letters": invalid({
      body: say({ sender: { name: "n".repeat(3_000) } }),
      issue: /sender\.name/,
    }),
    "with tools that are no list": invalid({
      body: say({ dynamicToolSchemas: {} }),
      issue: /dynamicToolSchemas/,
    }),
    "with a tool without a schema": invalid({
      body: say({ dynamicToolSchemas: [{ name: "x", description: "x" }] }),
      issue: /dynamicToolSchemas\.0/,
    }),
    "with a tool whose name is a sentence": invalid({
      body: say({ dynamicToolSchemas: [{ name: "a b", description: "x", inputSchema: {} }] }),
      issue: /dynamicToolSchemas\.0\.name/,
    }),
    "with a tool that the agent declares": invalid({
      body: say({ dynamicToolSchemas: [{ name: "get-order", description: "x", inputSchema: {} }] }),
      issue: /dynamicToolSchemas\.0/,
    }),
    "with a tool of a reserved name": invalid({
      body: say({ dynamicToolSchemas: [{ name: "platform_x", description: "x", inputSchema: {} }] }),
      issue: /dynamicToolSchemas\.0/,
    }),
    "with the same tool twice": invalid({
      body: say({ dynamicToolSchemas: [1, 2].map(() => ({ name: "x", description: "x", inputSchema: {} })) }),
      issue: /dynamicToolSchemas/,
    }),
    "with 513 tools": invalid({
      body: say({
        dynamicToolSchemas: Array.from({ length: 513 }, (_, index) => ({
          ...{ name: `x${index}`, description: "x", inputSchema: {} },
        })),
      }),
      issue: /dynamicToolSchemas/,
    }),
    "with a rollback to an unknown message": {
      status: 400,
      code: "UNKNOWN_MESSAGE",
      body: say({ rollbackAfterMessageId: "msg_x" }),
    },
    "with a rollback to another session's message": {
      status: 400,
      code: "UNKNOWN_MESSAGE",
      body: say({ rollbackAfterMessageId: names.otherMessage }),
    },
    "with a rollback to a number": invalid({ body: say({ rollbackAfterMessageId: 7 }), issue: /rollback/ }),
    "with results although nothing waits": {
      status: 400,
      code: "UNKNOWN_TOOL_CALL",
      body: { executionId: names.idleExecution, toolResults: [{ toolCallId: call, result: 1 }] },
    },
  });
  add("POST", of(expired, "/trigger"), {
    "that has expired": { status: 409, code: "SESSION_EXPIRED", body: say() },
  });

  return rows;
}
