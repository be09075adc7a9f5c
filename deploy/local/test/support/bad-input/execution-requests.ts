import { aboutSessions } from "./any-request.ts";
import {
  type BadRequest,
  invalid,
  type Names,
  of,
  type Row,
  requests,
  sessions,
  unknown,
} from "./bad-request.ts";

/** Results of tools, events of executions, and methods that no route has. */
export function executionRequests(names: Names): BadRequest[] {
  const { idle, paused, call } = names;
  const rows: BadRequest[] = [];
  const add = (...request: Parameters<typeof requests>) => rows.push(...requests(...request));
  const addSessions = (method: string, rest: string, body?: object) =>
    rows.push(...aboutSessions(names.idle, method, rest, body));
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
    "with an error that is not text": invalid({
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
