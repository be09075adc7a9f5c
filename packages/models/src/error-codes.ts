const maxCauseDepth = 8;

/** The `code` of an error and of its causes, outermost first: `fetch` wraps system errors in its own. */
export function codesOf(error: unknown): string[] {
  return causesOf(error).flatMap(codeOf);
}

/** The names and codes of an error and of its causes, outermost first. Unlike messages, they quote nothing. */
export function describeThrown(error: unknown): string | undefined {
  const names = causesOf(error).map((cause) => [cause.name, ...codeOf(cause)].join(" "));
  return names.length > 0 ? names.join(", caused by ") : undefined;
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let cause = error; causes.length < maxCauseDepth && cause instanceof Error; cause = cause.cause)
    causes.push(cause);
  return causes;
}

function codeOf(error: Error): string[] {
  return "code" in error && typeof error.code === "string" ? [error.code] : [];
}
