const maxCauseDepth = 8;

/** The `code` of an error and of its causes, outermost first: `fetch` wraps system errors in its own. */
export function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  let current = error;
  for (let depth = 0; depth < maxCauseDepth && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string") codes.push(current.code);
    current = current.cause;
  }
  return codes;
}
