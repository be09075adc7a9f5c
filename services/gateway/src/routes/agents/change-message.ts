/** The change and the number of warnings: "Agent created with 2 warnings". */
export function changeMessage(done: string, issues: ReadonlyArray<{ severity: string }>): string {
  const count = issues.filter(({ severity }) => severity === "warning").length;
  if (count === 0) return done;
  return `${done} with ${count === 1 ? "a warning" : `${count} warnings`}`;
}
