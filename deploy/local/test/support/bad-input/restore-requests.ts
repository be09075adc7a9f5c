import { aboutSessions, ofAnyBody } from "./any-request.ts";
import { type BadRequest, invalid, type Names, of, requests, wrongInput } from "./bad-request.ts";

export function restoreRequests(names: Names): BadRequest[] {
  const { expired } = names;
  const rows: BadRequest[] = [];
  const add = (...request: Parameters<typeof requests>) => rows.push(...requests(...request));
  const addSessions = (method: string, rest: string, body?: object) =>
    rows.push(...aboutSessions(names.idle, method, rest, body));
  const message = {
    id: "m1",
    role: "user",
    parts: [{ type: "text", text: "Hi" }],
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
  };
  const restore = (...messages: unknown[]) => ({ body: { messages } });
  addSessions("POST", "/restore", { messages: [] });
  add("POST", of(expired, "/restore"), {
    ...ofAnyBody({ messages: [] }),
    "without messages": invalid({ body: {}, issue: /messages/ }),
    "with an object of messages": invalid({ body: { messages: {} }, issue: /messages/ }),
    "with null as a message": invalid({ ...restore(message, null), issue: /^messages\.1/ }),
    "with a message without an id": invalid({
      ...restore({ ...message, id: undefined }),
      issue: /^messages\.0/,
    }),
    "with an id twice": invalid({ ...restore(message, message), issue: /^messages\.1/ }),
    "with an unknown role": invalid({ ...restore({ ...message, role: "tool" }), issue: /^messages\.0/ }),
    "with an unknown part": invalid({
      ...restore({ ...message, parts: [{ type: "secret" }] }),
      issue: /^messages\.0/,
    }),
    "with parts that are no list": invalid({
      ...restore({ ...message, parts: "Hi" }),
      issue: /^messages\.0/,
    }),
    "with a text of the wrong type": invalid({
      ...restore(message, { ...message, id: "m2", parts: [{ type: "text", text: 7 }] }),
      issue: /^messages\.1\.parts\.0/,
    }),
    "with a call whose id is too long": invalid({
      ...restore({
        ...message,
        role: "assistant",
        parts: [{ type: "tool-call", toolCallId: "c".repeat(65), toolName: "x", args: {}, status: "done" }],
      }),
      issue: /^messages\.0\.parts\.0/,
    }),
    "with a time that is none": invalid({
      ...restore({ ...message, createdAt: "yesterday" }),
      issue: /^messages\.0/,
    }),
    "with an undeclared variable": wrongInput({ messages: [], input: { SHOP: "x" } }),
  });
  return rows;
}
