/** A request that the server must refuse, or answer without an effect. */
export interface BadRequest {
  title: string;
  method: string;
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: string;
  headers?: Record<string, string>;
  /** No credential; or one of another project, or without the permission. */
  key?: "none" | "other-project" | "no-permission";
  status: number;
  code: string;
  /** The path of an issue that is named. */
  issue?: RegExp;
}

/** What the sessions of the test are called in paths and bodies. */
export interface Names {
  agentId: string;
  workerId: string;
  archivedId: string;
  /** Had one turn. */
  idle: string;
  idleExecution: string;
  /** Waits for the results of `call`. */
  paused: string;
  pausedExecution: string;
  call: string;
  /** Had one turn, too. */
  otherExecution: string;
  otherMessage: string;
  otherCall: string;
  expired: string;
}

type Row = Omit<BadRequest, "title" | "method" | "path">;
const invalid = (more: Partial<Row> = {}): Row => ({ status: 400, code: "INVALID_REQUEST", ...more });
const unknown = (more: Partial<Row> = {}): Row => ({ status: 404, code: "NOT_FOUND", ...more });
const noJson = (raw: string): Row => ({ status: 400, code: "INVALID_JSON", raw });
const wrongInput = (body: object): Row => ({ status: 400, code: "INVALID_INPUT", body });

const wrongMetadata = [null, 1, true, "free", [], ["free"], { plan: 1 }, { plan: ["free"] }, { plan: {} }];
const tooMuchMetadata = [
  Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key-${index}`, "x"])),
  { ["k".repeat(65)]: "x" },
  { plan: "x".repeat(513) },
  { "": "x" },
];

/** Every request to a route with a body may go wrong in these ways. */
function ofAnyBody(body: object): Record<string, Row> {
  const deep = `{"input":${"[".repeat(70)}${"]".repeat(70)}}`;
  return {
    "without a body": invalid(),
    "with null": invalid({ body: null }),
    "with a list": invalid({ body: [body] }),
    "with a string": invalid({ body: "x" }),
    "with a number": invalid({ body: 7 }),
    "with half of a JSON text": noJson('{"a":'),
    "with an empty text": noJson(" "),
    "with a repeated key": noJson('{"a":1,"a":2}'),
    "with __proto__": noJson('{"__proto__":{}}'),
    "with constructor": noJson('{"input":{"constructor":{"prototype":{}}}}'),
    "with NaN": noJson('{"a":NaN}'),
    "with a NUL in a string": invalid({ raw: JSON.stringify({ ...body, input: { TEXT: "a\u0000" } }) }),
    "with half a surrogate pair": invalid({ raw: JSON.stringify({ ...body, input: { TEXT: "\ud800" } }) }),
    "of another content type": {
      status: 415,
      code: "UNSUPPORTED_CONTENT_TYPE",
      raw: "a=1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
    "in UTF-16": {
      status: 415,
      code: "UNSUPPORTED_CONTENT_TYPE",
      body,
      headers: { "content-type": "application/json; charset=utf-16" },
    },
    "that wants HTML": { status: 406, code: "NOT_ACCEPTABLE", body, headers: { accept: "text/html" } },
    "with 71 levels": { status: 413, code: "PAYLOAD_TOO_LARGE", raw: deep },
    "with 100,001 values": {
      status: 413,
      code: "PAYLOAD_TOO_LARGE",
      raw: `{"input":[${"0,".repeat(100_000)}0]}`,
    },
    "of 11 MiB": {
      status: 413,
      code: "PAYLOAD_TOO_LARGE",
      raw: JSON.stringify({ ...body, input: { TEXT: "x".repeat(11 * 1024 * 1024) } }),
    },
    "without a credential": { status: 401, code: "UNAUTHENTICATED", body, key: "none" },
    "with a wrong credential": {
      status: 401,
      code: "UNAUTHENTICATED",
      body,
      headers: { authorization: "Bearer x" },
    },
    "without the permission": { status: 403, code: "FORBIDDEN", body, key: "no-permission" },
  };
}

/** Every request to a session may name a wrong one. */
function ofAnySession(body?: object): Record<string, [id: string, row: Row]> {
  const about = (id: string): [string, Row] => [id, unknown(body && { body })];
  return {
    "an unknown session": about("ses_00000000000000000000000000"),
    "a session with the id of an object's property": about("constructor"),
    "a session with an id of one letter": about("x"),
    "a session with a path as its id": about("..%2f..%2fhealthz"),
    "a session with a NUL in its id": about("ses_%00"),
    "a session with an operator as its id": about("%7B%22%24ne%22%3A1%7D"),
    "a session with an id of 1,000 letters": about("s".repeat(1_000)),
  };
}

export function badRequests(names: Names): BadRequest[] {
  const { idle, paused, expired, agentId, call } = names;
  const sessions = "/api/agent-sessions";
  const of = (id: string, rest = "") => `${sessions}/${id}${rest}`;
  const rows: BadRequest[] = [];
  const add = (method: string, path: string, list: Record<string, Row>) => {
    for (const [title, row] of Object.entries(list))
      rows.push({ title: `${method} ${path.replace(/ses_\w+/, ":id")} ${title}`, method, path, ...row });
  };
  const addSessions = (method: string, rest: string, body?: object) => {
    for (const [title, [id, row]] of Object.entries(ofAnySession(body)))
      add(method, of(id, rest), { [`for ${title}`]: row });
    add(method, of(idle, rest), {
      "from another project": unknown({ ...(body && { body }), key: "other-project" }),
      "without a credential": { status: 401, code: "UNAUTHENTICATED", key: "none", ...(body && { body }) },
    });
  };

  add("POST", sessions, {
    ...ofAnyBody({ agentId }),
    "without an agent": invalid({ body: {} }),
    "with two agents": invalid({ body: { agentId, agentSlug: "support-chat" } }),
    "with a number as agent": invalid({ body: { agentId: 7 }, issue: /agentId/ }),
    "with an empty agent": invalid({ body: { agentId: "" }, issue: /agentId/ }),
    "with an unknown agent": unknown({ body: { agentId: "agt_00000000000000000000000000" } }),
    "with an unknown slug": unknown({ body: { agentSlug: "nobody" } }),
    "with the slug of a property": unknown({ body: { agentSlug: "constructor" } }),
    "with an archived agent": { status: 409, code: "AGENT_ARCHIVED", body: { agentId: names.archivedId } },
    "with a worker": invalid({ body: { agentId: names.workerId } }),
    "with a list as input": invalid({ body: { agentId, input: [] }, issue: /input/ }),
    "with an undeclared variable": wrongInput({ agentId, input: { SHOP: "x" } }),
    "with a variable of the wrong type": wrongInput({ agentId, input: { SHOP_NAME: 7 } }),
    "with null as a variable": wrongInput({ agentId, input: { SHOP_NAME: null } }),
  });
  for (const [index, metadata] of [...wrongMetadata, ...tooMuchMetadata].entries()) {
    add("POST", sessions, {
      [`with wrong metadata ${index}`]: invalid({ body: { agentId, metadata }, issue: /metadata/ }),
    });
    add("PATCH", of(idle), {
      [`with wrong metadata ${index}`]: invalid({ body: { metadata }, issue: /metadata/ }),
    });
  }

  addSessions("GET", "");
  for (const query of ["format=other", "format=UI", "format=", "format=ui&format=full"])
    add("GET", of(idle, `?${query}`), { "": invalid({ issue: /format/ }) });
  for (const limit of ["0", "-1", "1.5", "1e2", "x", "", "1001", "99999999999999999999", "%00"])
    add("GET", of(idle, `?format=ui&limit=${limit}`), { "": invalid({ issue: /limit/ }) });
  add("GET", of(idle, `?format=ui&before=${names.otherMessage}`), {
    "that another session has": { status: 400, code: "UNKNOWN_MESSAGE" },
  });
  add("GET", of(idle, "?format=ui&before=nothing"), { "": { status: 400, code: "UNKNOWN_MESSAGE" } });
  add("GET", of(idle, `?format=ui&before=${"m".repeat(201)}`), { "": invalid({ issue: /before/ }) });

  for (const query of [
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=x",
    "status=other",
    "status=",
    "cursor=x",
    "cursor=",
  ])
    add("GET", `${sessions}?${query}`, { "": invalid() });
  add("GET", `${sessions}?metadata.${"k".repeat(65)}=x`, { "": invalid() });
  add("GET", sessions, { "without a credential": { status: 401, code: "UNAUTHENTICATED", key: "none" } });

  addSessions("PATCH", "", { metadata: {} });
  add("PATCH", of(idle), { ...ofAnyBody({ metadata: {} }), "without metadata": invalid({ body: {} }) });
  add("PATCH", of(expired), {
    "that has expired": { status: 409, code: "SESSION_EXPIRED", body: { metadata: {} } },
  });

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

  const results = (toolResults: unknown, executionId = names.pausedExecution) => ({
    executionId,
    toolResults,
  });
  const given = (more: object = {}) => ({ toolCallId: call, ...more });
  const unknownCall = (body: object): Row => ({ status: 400, code: "UNKNOWN_TOOL_CALL", body });
  add("POST", of(paused, "/trigger"), {
    "with results of an unknown call": unknownCall(results([{ toolCallId: "call_x", result: 1 }])),
    "with results of a property": unknownCall(results([{ toolCallId: "__proto__", result: 1 }])),
    "with results of another session's call": unknownCall(
      results([{ toolCallId: names.otherCall, result: 1 }]),
    ),
    "with a good and an unknown result": unknownCall(
      results([given({ result: 1 }), { toolCallId: "call_x" }]),
    ),
    "with results for another execution": unknownCall(results([given({ result: 1 })], names.idleExecution)),
    "with results for an unknown execution": unknownCall(results([given({ result: 1 })], "exe_x")),
    "with a result twice": invalid({
      body: results([given({ result: 1 }), given({ result: 2 })]),
      issue: /toolResults\.1/,
    }),
    "with a result and an error": invalid({
      body: results([given({ result: 1, error: "x" })]),
      issue: /toolResults\.0/,
    }),
    "with an error that is no text": invalid({
      body: results([given({ error: { a: 1 } })]),
      issue: /toolResults\.0/,
    }),
    "with another tool's name": invalid({
      issue: /toolResults\.0\.toolName/,
      body: results([given({ result: 1, toolName: "create-ticket" })]),
    }),
    "with an id that is a number": invalid({
      body: results([{ toolCallId: 7, result: 1 }]),
      issue: /toolResults\.0/,
    }),
    "with null as a result": invalid({ body: results([null]), issue: /toolResults\.0/ }),
    "with an object of results": invalid({ body: results({ [call]: 1 }), issue: /toolResults/ }),
    "with 1,001 results": invalid({
      body: results(Array.from({ length: 1_001 }, (_, index) => ({ toolCallId: `c${index}`, result: 1 }))),
      issue: /toolResults/,
    }),
  });

  addSessions("POST", "/cancel");
  addSessions("GET", "/logs");
  for (const value of ["maybe", "1", ""])
    add("GET", of(idle, `/logs?excludeModelRequests=${value}`), {
      "": invalid({ issue: /excludeModelRequests/ }),
    });
  addSessions("DELETE", "");

  const events = (execution: string, query = "") => of(idle, `/executions/${execution}/events${query}`);
  addSessions("GET", `/executions/${names.idleExecution}/events`);
  for (const after of ["-1", "x", "1.5", "", "1e3", "%00", "99999999999", "0x1", "+1"]) {
    add("GET", events(names.idleExecution, `?after=${after}`), { "": invalid({ issue: /after/ }) });
    if (!after.includes("%")) {
      add("GET", events(names.idleExecution), {
        [`with Last-Event-ID ${JSON.stringify(after)}`]: invalid({ headers: { "last-event-id": after } }),
      });
    }
  }
  add("GET", events(names.idleExecution, "?after=999999999"), {
    "in the future": invalid({ issue: /after/ }),
  });
  add("GET", events(names.idleExecution, "?after=1&after=2"), { "given twice": invalid() });
  for (const execution of [
    names.otherExecution,
    names.pausedExecution,
    "exe_x",
    "constructor",
    "x".repeat(500),
  ])
    add("GET", events(execution), { "of another session, or unknown": unknown() });

  for (const [path, method] of [
    [sessions, "PUT"],
    [of(idle), "PUT"],
    [of(idle, "/trigger"), "GET"],
    [of(idle, "/cancel"), "GET"],
    [of(idle, "/restore"), "PATCH"],
    [of(idle, "/logs"), "POST"],
    [events(names.idleExecution), "POST"],
  ] as const) {
    add(method, path, { "": { status: 405, code: "METHOD_NOT_ALLOWED" } });
  }
  return rows;
}
