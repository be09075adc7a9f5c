import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { ConnectError } from "./connect-error.ts";
import { isLoopback, proxyFor } from "./connection/proxy-for.ts";
import { type McpServerSettings, readMcpFile } from "./mcp/read-mcp-file.ts";

/** The options of the command line. */
export interface ConnectArguments {
  url?: string | undefined;
  token?: string | undefined;
  dir?: string | undefined;
  mcp?: string | undefined;
  approve?: boolean | undefined;
  region?: string | undefined;
  state?: string | undefined;
}

export interface ConnectOptions {
  /** Without a slash at its end. */
  url: string;
  token: string;
  /** Undefined: the server is reached directly. */
  proxy: URL | undefined;
  /** Absolute, without links. */
  dir: string;
  mcpServers: readonly McpServerSettings[];
  approve: boolean;
  region: string;
  stateFolder: string;
  /** The environment of commands and MCP servers. */
  env: NodeJS.ProcessEnv;
  warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks the command line and the environment. Throws {@link ConnectError}. Paths are relative to `cwd`. */
export async function readConnectOptions(
  given: ConnectArguments,
  environment: Environment,
  cwd: string,
): Promise<ConnectOptions> {
  if (process.platform === "win32") throw new ConnectError("On Windows, start this command in WSL.");
  const url = readUrl(given.url ?? environment.MUSTER_URL);
  const proxy = proxyFor(url, environment);
  const token = readToken(given.token ?? environment.MUSTER_COMPUTER_TOKEN);
  const dir = readFolder(given.dir, cwd);
  const mcpServers = given.mcp === undefined ? [] : await readMcpFile(resolve(cwd, given.mcp));
  const region = given.region ?? "";
  if (!/^[\w.-]{0,64}$/.test(region))
    throw new ConnectError("--region must have at most 64 letters, digits, dots and hyphens.");
  const stateFolder =
    given.state === undefined ? defaultState(environment, url, dir) : resolve(cwd, given.state);
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConnectError(`The state folder ${stateFolder} cannot be created: ${messageOf(error)}`);
  }
  return {
    ...{ url, token, proxy, dir, mcpServers, region, stateFolder },
    approve: given.approve === true,
    env: withoutSecrets(environment),
    warnings: isOpen(url)
      ? [
          `${url} is not encrypted: anyone on the way can read and change what this computer executes. Use https.`,
        ]
      : [],
  };
}

function readUrl(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new ConnectError("The address of the server is missing. Give --url, or set MUSTER_URL.");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== "" ||
    url.search + url.hash !== ""
  )
    throw new ConnectError(
      `${JSON.stringify(text)} is not the address of a server, such as https://muster.example.com.`,
    );
  return url.href.replace(/\/+$/, "");
}

/** The message never contains the value: the screen has other readers. */
function readToken(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new ConnectError(
      "The token of the computer is missing. Set MUSTER_COMPUTER_TOKEN to the one that muster workforce computer-token prints.",
    );
  if (/^svc_cmp_[\x21-\x7e]{1,4000}$/.test(text)) return text;
  throw new ConnectError("The token is not one of a computer: these begin with svc_cmp_.");
}

function readFolder(text: string | undefined, cwd: string): string {
  if (text === undefined || text === "")
    throw new ConnectError("The folder to work in is missing. Give it with --dir.");
  const path = resolve(cwd, text);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new ConnectError(`The folder ${path} does not exist.`);
  if (!stats.isDirectory()) throw new ConnectError(`${path} is not a folder.`);
  return realpathSync(path);
}

/** A token may be replaced, so the folder is that of the server and the directory. */
function defaultState({ XDG_STATE_HOME, HOME }: Environment, url: string, dir: string): string {
  const base = XDG_STATE_HOME || join(HOME || homedir(), ".local/state");
  const name = createHash("sha256").update(`${url}\n${dir}`).digest("hex").slice(0, 16);
  return join(base, "muster-computer", name);
}

function withoutSecrets(environment: Environment): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^MUSTER_/i.test(name)));
}

/** Whether others can read the connection. */
function isOpen(url: string): boolean {
  const { protocol } = new URL(url);
  return protocol === "http:" && !isLoopback(new URL(url));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
