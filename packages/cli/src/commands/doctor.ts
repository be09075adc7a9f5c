import { checkComputers } from "../doctor/check-computers.ts";
import { checkMcpServers } from "../doctor/check-mcp-servers.ts";
import { checkKey, checkProviders } from "../doctor/credential.ts";
import { checkServer } from "../doctor/server.ts";
import { type Check, showChecks } from "../doctor/show-checks.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import type { AddCommand, Handler } from "../invocation.ts";

export const doctor: AddCommand = (group, act) => {
  group
    .command("doctor")
    .description(
      "Check the server, the API key, the model providers, the computers that dial in and the MCP servers.",
    )
    .action(act(handle));
};

const handle: Handler = async (invocation) => {
  const { io, out, publicApi } = invocation;
  const runtime = await io.server?.checkRuntime(io.env);
  const checks: Check[] = await checkServer(publicApi(), io.now);
  const reachable = checks.every((check) => check.name !== "server" || check.status === "ok");
  if (reachable) {
    const key = await checkKey(invocation);
    checks.push(key);
    if (key.status === "ok") {
      checks.push(...(await checkProviders(invocation.api())));
      checks.push(...(await checkComputers(invocation.api(), out)));
      checks.push(...(await checkMcpServers(invocation.api())));
    }
  }
  // This machine's, also if the server cannot start because of it.
  if (runtime !== undefined)
    checks.push({ name: "computers", status: runtime.ok ? "ok" : "failed", message: runtime.message });
  if (out.json) out.document({ url: publicApi().url, checks });
  else showChecks(out, checks);
  return exitCodeOf(checks, reachable);
};

function exitCodeOf(checks: readonly Check[], reachable: boolean): ExitCode {
  if (!reachable) return exitCodes.server;
  return checks.some(({ status }) => status === "failed") ? exitCodes.failure : exitCodes.fine;
}
