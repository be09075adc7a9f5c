/** What to do about each code; shown beside the alerts of code scanning. */
const help: Readonly<Record<string, string>> = {
  INVALID_FOLDER:
    "The agent folder cannot be read: a file is missing, too large, no UTF-8, or not in the form that docs/cli.md describes.",
};

/** A code as words: `UNKNOWN_TOOL` is "Unknown tool". */
export function ruleTitle(code: string): string {
  const words = code.toLowerCase().replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function ruleHelp(code: string): string {
  return help[code] ?? `${ruleTitle(code)}. docs/diagnostics.md says what provokes it and what to do.`;
}
