/** A command line of each command that asks a server. They need the folder of an agent. */
export const onlineCommands: ReadonlyArray<readonly string[]> = [
  ["agents", "list"],
  ["agents", "show", "helper"],
  ["agents", "versions", "helper"],
  ["agents", "diff", "helper"],
  ["agents", "pull", "helper"],
  ["agents", "archive", "helper", "--yes"],
  ["agents", "push", "--yes"],
  ["agents", "validate", "--server"],
  ["chat", "helper", "--message", "Hi"],
  ["models"],
  ["keys", "list"],
  ["keys", "create", "--name", "x", "--permission", "sessions"],
  ["keys", "delete", "key_1", "--yes"],
  ["doctor"],
];
