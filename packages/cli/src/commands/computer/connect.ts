import { failure } from "../../exit.ts";
import { examples } from "../../help.ts";
import { readServerUrl } from "../../http/settings.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const connectComputer: AddCommand = (group, act) => {
  group
    .command("connect")
    .description("Connect this machine: agents run commands on it, as you. --dir does not confine commands.")
    .option("--dir <folder>", "Folder in which commands start, and to which the files__* tools are confined")
    .option(
      "--token <token>",
      "Token of the computer (default: MUSTER_COMPUTER_TOKEN, which other users cannot see)",
    )
    .option("--mcp <file>", 'Offer the tools of the MCP servers in this file ("mcpServers")')
    .option("--approve", "Ask before each command and each call of an MCP server")
    .option("--region <name>", "Location of this machine, recorded with each run")
    .option("--state <folder>", "Where the outcomes of calls are kept")
    .addHelpText("after", examples("muster computer connect --dir project --approve"))
    .action(act(handle));
};

const handle: Handler = async ({ io, options }) => {
  const url = readServerUrl(options.text("url") ?? io.env.MUSTER_URL);
  // No other command needs it, and it takes long to load.
  const { ConnectError, connectInTerminal, readConnectOptions } = await import("@muster/platform-computer");
  const names = ["token", "dir", "mcp", "region", "state"] as const;
  const texts = Object.fromEntries(names.map((name) => [name, options.text(name)]));
  try {
    const given = { ...texts, url, approve: options.flag("approve") };
    await connectInTerminal(await readConnectOptions(given, io.env, io.cwd), io);
    return undefined;
  } catch (error) {
    if (error instanceof ConnectError) throw failure("CANNOT_CONNECT", error.message);
    throw error;
  }
};
