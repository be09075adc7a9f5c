import { aboutSessions, ofAnyBody } from "./any-request.ts";
import {
  type BadRequest,
  invalid,
  type Names,
  of,
  requests,
  sessions,
  unknown,
  wrongInput,
} from "./bad-request.ts";

const wrongMetadata = [null, 1, true, "free", [], ["free"], { plan: 1 }, { plan: ["free"] }, { plan: {} }];
const tooMuchMetadata = [
  Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key-${index}`, "x"])),
  { ["k".repeat(65)]: "x" },
  { plan: "x".repeat(513) },
  { "": "x" },
];
/** Creating, reading, listing, changing, cancelling and clearing sessions. */
export function sessionRequests(names: Names): BadRequest[] {
  const { idle, expired, agentId } = names;
  const rows: BadRequest[] = [];
  const add = (...request: Parameters<typeof requests>) => rows.push(...requests(...request));
  const addSessions = (method: string, rest: string, body?: object) =>
    rows.push(...aboutSessions(names.idle, method, rest, body));

  add("POST", sessions, {
    ...ofAnyBody({ agentId }),
    "that wants HTML": {
      status: 406,
      code: "NOT_ACCEPTABLE",
      body: { agentId },
      headers: { accept: "text/html" },
    },
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

  addSessions("POST", "/cancel");
  addSessions("GET", "/logs");
  for (const value of ["maybe", "1", ""])
    add("GET", of(idle, `/logs?excludeModelRequests=${value}`), {
      "": invalid({ issue: /excludeModelRequests/ }),
    });
  for (const [query, issue] of [
    ["after=log_1", /after/],
    ["after=x", /after/],
    ["limit=0", /limit/],
    ["limit=3001", /limit/],
  ] as const)
    add("GET", of(idle, `/logs?${query}`), { "": invalid({ issue }) });
  for (const id of [idle, expired])
    add("GET", of(id, "/logs/log_1_1048577"), { "that no log has": { status: 404, code: "NOT_FOUND" } });
  addSessions("DELETE", "");
  return rows;
}
