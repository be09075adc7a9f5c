/** The end of a call as it is stored and sent. `result`: JSON. */
export type Outcome =
  | { readonly result: string }
  | { readonly error: string }
  | { readonly unknown: true }
  | { readonly aborted: true };

export const unknownOutcome: Outcome = { unknown: true };

/** Reads an outcome of the journal; unknown if it is damaged. */
export function readOutcome(value: unknown): Outcome {
  if (typeof value !== "object" || value === null) return unknownOutcome;
  if ("result" in value && typeof value.result === "string") return { result: value.result };
  if ("error" in value && typeof value.error === "string") return { error: value.error };
  return "aborted" in value ? { aborted: true } : unknownOutcome;
}
