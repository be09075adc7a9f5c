/** The examples of a command's help. Each is a full command line that begins with `muster`. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}

/** Makes the examples in a help text start the program as this user does, so that they can be pasted. */
export function withProgram(helpText: string, program: string): string {
  return helpText.replace(/^( {2}\$ )muster /gm, `$1${program} `);
}

/** Settings of all commands that call the server, shown in the help of the program. */
export const environmentHelp = `
Environment variables:
  MUSTER_URL        Address of the server (default: http://127.0.0.1:8080)
  MUSTER_API_KEY    API key
  MUSTER_AGENT_KEY  Key of a workforce agent, for its work
  MUSTER_PROJECT    Project to act in, for keys that can act in any project
${examples(
  "muster agents new shop-help",
  "muster agents push shop-help",
  "muster chat shop-help",
  "muster help agents push",
)}`;
