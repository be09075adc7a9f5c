import { badRequest } from "../../edge/errors/from-any.ts";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";

/** INVALID_REQUEST for one member of a body. */
export function invalid(path: string, message: string): HttpProblem {
  return badRequest("body", [{ path, message }]);
}

/** The value of a member. Throws INVALID_REQUEST if the client left it out. */
export function required<Value>(
  value: Value | null | undefined,
  path: string,
  message = "is required",
): Value {
  if (value === null || value === undefined) throw invalid(path, message);
  return value;
}

/** Parameters that change what a response is, with the values that are as if they were absent. */
export type NeutralValues = Readonly<Record<string, readonly unknown[]>>;

/** Throws INVALID_REQUEST with each parameter that cannot be respected. Null is as if it were absent. */
export function refuseParameters(body: object, neutral: NeutralValues): void {
  const issues = Object.entries(neutral).flatMap(([path, values]) => {
    const value: unknown = Object.hasOwn(body, path) ? Reflect.get(body, path) : undefined;
    const text = JSON.stringify(value ?? null);
    if (text === "null" || values.some((same) => JSON.stringify(same) === text)) return [];
    const allowed = values.map((same) => JSON.stringify(same)).join(" or ");
    return [
      { path, message: allowed === "" ? "is not supported; leave it out" : `must be absent or ${allowed}` },
    ];
  });
  if (issues.length > 0) throw badRequest("body", issues);
}
