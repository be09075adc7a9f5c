import type { BadRequest, Names } from "./bad-request.ts";
import { executionRequests } from "./execution-requests.ts";
import { restoreRequests } from "./restore-requests.ts";
import { sessionRequests } from "./session-requests.ts";
import { turnRequests } from "./turn-requests.ts";

export type { BadRequest, Names } from "./bad-request.ts";

export function badRequests(names: Names): BadRequest[] {
  return [
    ...sessionRequests(names),
    ...restoreRequests(names),
    ...turnRequests(names),
    ...executionRequests(names),
  ];
}
