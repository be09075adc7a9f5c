import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { computerTools } from "@muster/computers/tools";
import type { Goodbye, Welcome } from "@muster/proto/computer-frames";
import manifest from "../package.json" with { type: "json" };
import { Calls } from "./calls/calls.ts";
import { executeCall } from "./calls/execute-call.ts";
import { ConnectError } from "./connect-error.ts";
import { protocolVersion } from "./connection/frames.ts";
import { openSocket } from "./connection/open-socket.ts";
import { serveConnection, type Timing } from "./connection/serve-connection.ts";
import { Folder } from "./files/folder.ts";
import { McpServers } from "./mcp/mcp-servers.ts";
import type { ConnectOptions } from "./read-connect-options.ts";
import { Journal } from "./state/journal.ts";
import { lockFolder } from "./state/lock-folder.ts";
import { plainLine, plainText } from "./terminal/plain-text.ts";
import type { Terminal } from "./terminal/terminal.ts";

interface ConnectTiming extends Timing {
  backoffMs: readonly [number, number];
  /** How long the user has to answer. */
  approveMs: number;
}

const defaultTiming: ConnectTiming = {
  pingMs: 10_000,
  silentMs: 25_000,
  backoffMs: [200, 5_000],
  approveMs: 600_000,
};

/** A connection that lasted so long was a good one: the next failure begins with the shortest pause again. */
const stableMs = 10_000;
const shownLines = 10;

/**
 * Connects this machine, and executes the calls of its agents until `signal` aborts; commands are killed then. Throws
 * {@link ConnectError} if the platform refuses it for good.
 */
export async function connectComputer(
  options: ConnectOptions,
  terminal: Terminal,
  signal: AbortSignal,
  timing = defaultTiming,
): Promise<void> {
  const { url, token, proxy, dir, env, stateFolder, mcpServers } = options;
  const { ask } = terminal;
  if (options.approve && ask === undefined)
    throw new ConnectError("--approve asks before each command, and standard input is not a terminal.");
  const warn = (line: string) => terminal.line(plainLine(line, 500));
  const unlock = lockFolder(stateFolder);
  const journal = openJournal(stateFolder);
  const folder = new Folder(dir);
  const { version } = manifest;
  const mcp = await McpServers.start({ servers: mcpServers, dir, env, version, warn });
  const calls = new Calls({
    journal,
    warn,
    execute: (call, execution) => executeCall(call, { folder, env, mcp }, execution),
    note: ({ agentName }, action) => terminal.line(`${plainLine(agentName, 60)}: ${plainLine(action)}`),
    async approve({ agentName }, action, text, aborted) {
      const title = `${plainLine(agentName, 60)}: ${plainLine(action)}`;
      // The user must see the whole text to approve it.
      terminal.line(`${title}\n${indented(text, options.approve ? Number.POSITIVE_INFINITY : shownLines)}`);
      if (!options.approve || ask === undefined) return true;
      const late = AbortSignal.timeout(timing.approveMs);
      return await ask("Allow it?", AbortSignal.any([aborted, late])).catch((error: unknown) => {
        throw late.aborted ? new Error("its user did not allow it in time") : error;
      });
    },
  });
  // The platform still gets the outcomes of the calls that are killed.
  const leaving = new AbortController();
  const stop = () => void calls.close().finally(() => leaving.abort());
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await calls.settleLeft();
    await stayConnected(leaving.signal);
  } finally {
    signal.removeEventListener("abort", stop);
    await calls.close();
    await mcp.close();
    journal.close();
    unlock();
  }

  async function stayConnected(signal: AbortSignal): Promise<void> {
    const processId = randomUUID();
    const tools = [...computerTools(describeCommands(dir), dir), ...mcp.tools].map(
      ({ inputSchema, ...tool }) => ({
        ...tool,
        inputSchemaJson: JSON.stringify(inputSchema),
      }),
    );
    let wasConnected = false;
    let knownId = journal.latestComputer;
    let failures = 0;
    let connection = 0;
    let reported = "";
    const welcome = ({ epoch, computerId, computerName }: Welcome): void => {
      const before = journal.connectionEpoch(computerId);
      if (epoch < before)
        throw new Error("the server has an older state of this computer than the last connection had");
      // The platform would believe that this folder remembers the calls of a computer that it does not know.
      const isKnown = before === journal.connectionEpoch(knownId);
      knownId = computerId;
      if (!isKnown) throw new Error("the token belongs to a different computer than the last one");
      try {
        journal.connected(computerId, epoch);
      } catch (error) {
        // The next hello has the older epoch: the platform repeats nothing of this connection then.
        warn(`The state folder cannot be written, so calls are refused until it can be: ${messageOf(error)}`);
      }
      wasConnected = true;
      reported = "";
      const way = proxy === undefined ? url : `${url} through the proxy ${proxy.host}`;
      terminal.line(`Connected to ${way} as ${plainLine(computerName, 100)} (${plainLine(computerId, 60)}).`);
    };
    while (!signal.aborted) {
      const startedMs = performance.now();
      let goodbye: Goodbye | undefined;
      let problem = "the connection was cut";
      try {
        const socket = await openSocket({ url, token, proxy, wasConnected, signal });
        const os = process.platform === "darwin" ? "macos" : "linux";
        const identity = { protocolVersion, runtimeVersion: version, os, region: options.region };
        const epoch = journal.connectionEpoch(knownId);
        connection += 1;
        const value = { ...identity, epoch, processId, connection, tools };
        const hello = { case: "hello", value } as const;
        goodbye = await serveConnection({ socket, hello, calls, folder, timing, welcome, signal });
      } catch (error) {
        if (error instanceof ConnectError) throw error;
        problem = error instanceof Error ? error.message || String(error) : String(error);
      }
      if (signal.aborted) return;
      if (goodbye !== undefined && goodbye.code !== "stopping")
        throw new ConnectError(
          plainLine(goodbye.message, 500) || `The server ended the connection: ${plainLine(goodbye.code)}.`,
        );
      if (performance.now() - startedMs > stableMs) failures = 0;
      // A server that stops has others beside it, or a successor.
      const [shortest, longest] = timing.backoffMs;
      const atOnce = goodbye !== undefined && failures === 0;
      const pauseMs = atOnce ? 0 : Math.min(longest, shortest * 2 ** failures) * (0.5 + Math.random() / 2);
      failures = Math.min(failures + 1, 16);
      const line =
        goodbye === undefined
          ? `Not connected: ${problem}. Trying again.`
          : "The server is restarting. Connecting again.";
      // One line for each reason, not for each attempt.
      if (line !== reported) terminal.line(plainLine(line, 500));
      reported = line;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}

function openJournal(folder: string): Journal {
  try {
    return new Journal(folder);
  } catch (error) {
    throw new ConnectError(`The state folder ${folder} cannot be used: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function describeCommands(dir: string): string {
  const system = process.platform === "darwin" ? "macOS" : "Linux";
  return (
    `It runs on a user's own machine (${system}), as that user and with its programs and network, and starts in ${dir}. ` +
    "No process that stays in its process group outlives its command."
  );
}

function indented(text: string, maxLines: number): string {
  const lines = plainText(text).split("\n");
  const more = lines.length > maxLines ? [`(${lines.length - maxLines} more lines)`] : [];
  return [...lines.slice(0, maxLines), ...more].map((line) => `  | ${line}`).join("\n");
}
