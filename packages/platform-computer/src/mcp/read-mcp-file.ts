import { readFile } from "node:fs/promises";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { ConnectError } from "../connect-error.ts";

export interface McpServerSettings {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const maxServers = 50;

/** Reads the usual file with `mcpServers`. Throws {@link ConnectError} with the place of a mistake. */
export async function readMcpFile(path: string): Promise<McpServerSettings[]> {
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new ConnectError(`${path} cannot be read: ${error.message.split(", ")[0]}.`);
  });
  const wrong = (place: string, expected: string): ConnectError =>
    new ConnectError(`${path}: ${place} must be ${expected}.`);
  const content = parseFile(path, text);
  const servers = isObject(content) ? content.mcpServers : undefined;
  if (!isObject(servers)) throw wrong('"mcpServers"', "an object with a server for each name");
  const entries = Object.entries(servers);
  if (entries.length > maxServers) throw wrong('"mcpServers"', `at most ${maxServers} servers`);
  return entries.map(([name, server]) => {
    const place = `mcpServers.${name}`;
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(name) || name === "shell" || name === "files")
      throw wrong(
        `the name ${JSON.stringify(name)}`,
        "1-32 letters, digits, - and _, and not shell or files",
      );
    if (!isObject(server)) throw wrong(place, "an object");
    const { command, args = [], env = {} } = server;
    if (typeof command !== "string" || command === "")
      throw wrong(`${place}.command`, "the program of a server that uses standard input and output");
    if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
      throw wrong(`${place}.args`, "a list of strings");
    if (!isObject(env) || !isTexts(env)) throw wrong(`${place}.env`, "an object of strings");
    return { name, command, args, env };
  });
}

/** Editors write comments and trailing commas into such files. */
function parseFile(path: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return value;
  const before = text.slice(0, first.offset).split("\n");
  const problem = printParseErrorCode(first.error).replace(
    /\B[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  );
  throw new ConnectError(`${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}: ${problem}.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: Record<string, unknown>): value is Record<string, string> {
  return Object.values(value).every((text) => typeof text === "string");
}
