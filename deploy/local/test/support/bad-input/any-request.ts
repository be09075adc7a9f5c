import { type BadRequest, invalid, noJson, of, type Row, requests, unknown } from "./bad-request.ts";

/** Every request to a route with a body may go wrong in these ways. */
export function ofAnyBody(body: object): Record<string, Row> {
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

/** Every request to a session may name a wrong one. */ function ofAnySession(
  body?: object,
): Record<string, [id: string, row: Row]> {
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

/** Requests for sessions that the caller must not see, and requests without a credential. */
export function aboutSessions(idle: string, method: string, rest: string, body?: object): BadRequest[] {
  const named = Object.entries(ofAnySession(body)).flatMap(([title, [id, row]]) =>
    requests(method, of(id, rest), { [`for ${title}`]: row }),
  );
  const others = requests(method, of(idle, rest), {
    "from another project": unknown({ ...(body && { body }), key: "other-project" }),
    "without a credential": { status: 401, code: "UNAUTHENTICATED", key: "none", ...(body && { body }) },
  });
  return [...named, ...others];
}
