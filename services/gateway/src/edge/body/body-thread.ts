import type { IssueInput } from "@muster/rpc";
import type { PublicCode } from "@muster/wire/error-codes";
import { HttpProblem } from "../errors/http-problem.ts";
import { decodeBody, parseJsonBody } from "./parse-json-body.ts";
import { type RelayPlan, type SlimBody, takeRelayed } from "./relayed-json.ts";

/* The tasks of the threads that read large bodies. Inputs and results consist of bytes and strings, which are cheap to copy. */

/** A refusal in a form that survives the copy between threads. */
export interface Refusal {
  code: PublicCode;
  message: string;
  issues: readonly IssueInput[];
}

export type Read<T> = { ok: true; body: T } | { ok: false; refusal: Refusal };

/** Parses a body and takes out the values that the route only passes on. */
export function slim({ bytes, plan }: { bytes: Uint8Array; plan: RelayPlan }): Read<SlimBody> {
  return refusing(() => takeRelayed(parseJsonBody(bytes), plan));
}

/** Checks a body and returns it as text, which is certain to be valid. */
export function check({ bytes }: { bytes: Uint8Array }): Read<string> {
  return refusing(() => {
    parseJsonBody(bytes);
    return decodeBody(bytes);
  });
}

function refusing<T>(read: () => T): Read<T> {
  try {
    return { ok: true, body: read() };
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const { code, message, issues } = error;
    return { ok: false, refusal: { code, message, issues } };
  }
}
