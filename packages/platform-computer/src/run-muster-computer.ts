import type { Readable, Writable } from "node:stream";
import { parseArgs } from "node:util";
import manifest from "../package.json" with { type: "json" };
import { connectComputer } from "./connect-computer.ts";
import { ConnectError } from "./connect-error.ts";
import { type ConnectOptions, readConnectOptions } from "./read-connect-options.ts";
import { createTerminal } from "./terminal/terminal.ts";

const usage = `Usage: muster-computer connect --url <address> --dir <folder> [options]

Connects this machine to a Muster server. Agents then run commands on it, as you.
With a shell, --dir confines only the files__* tools: a command can read and change all that you can.

  --url <address>   Address of the server (default: MUSTER_URL)
  --dir <folder>    Folder in which commands start, and to which the files__* tools are confined
  --token <token>   Token of the computer. Prefer MUSTER_COMPUTER_TOKEN: other users can see arguments
  --mcp <file>      Offer the tools of the MCP servers in this file ("mcpServers")
  --approve         Ask on the terminal before each command and each call of an MCP server
  --region <name>   Location of this machine, recorded with each run
  --state <folder>  Where the outcomes of calls are kept (default: below ~/.local/state/muster-computer)
  --version         Show the version

HTTPS_PROXY, HTTP_PROXY and NO_PROXY name the proxy that leads to the server.
`;

/** Runs one command line (without the program name), and resolves with the exit code. */
export async function runMusterComputer(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = read(args);
    if (values.version === true) {
      process.stdout.write(`${manifest.version}\n`);
      return 0;
    }
    if (values.help === true || positionals.length === 0) {
      process.stdout.write(usage);
      return 0;
    }
    if (positionals.length > 1 || positionals[0] !== "connect")
      throw new ConnectError(`The only command is connect, not ${JSON.stringify(positionals.join(" "))}.`);
    const options = await readConnectOptions(values, process.env, process.cwd());
    await connectInTerminal(options);
    return 0;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    process.stderr.write(`Error: ${error.message}\n`);
    return 1;
  }
}

interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
}

/** Connects with the terminal of this process, until Ctrl-C or SIGTERM. A second one ends it at once. */
export async function connectInTerminal(
  options: ConnectOptions,
  { stdin, stdout }: Streams = process,
): Promise<void> {
  const stopping = new AbortController();
  const stop = () => {
    // The user does not wait for the commands. They are killed with this process.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  };
  const terminal = createTerminal(stdin, stdout, options.approve && stdin.isTTY === true);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  try {
    for (const warning of options.warnings) terminal.line(`Warning: ${warning}`);
    await connectComputer(options, terminal, stopping.signal);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, stop);
    terminal.close();
  }
}

function read(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ url: text, token: text, dir: text, mcp: text, region: text, state: text },
        ...{ approve: flag, help: { ...flag, short: "h" }, version: { ...flag, short: "V" } },
      },
    });
  } catch (error) {
    // Its message may repeat the token.
    const reason = error instanceof Error ? error.message.split("'").slice(0, 2).join("'") : "";
    throw new ConnectError(`The command line cannot be read (${reason}'). Run muster-computer --help.`);
  }
}
