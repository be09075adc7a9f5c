import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { adminBackup } from "./commands/admin/backup.ts";
import { adminMove } from "./commands/admin/move.ts";
import { adminRestore } from "./commands/admin/restore.ts";
import { archive } from "./commands/agents/archive.ts";
import { list } from "./commands/agents/list.ts";
import { versions } from "./commands/agents/versions.ts";
import { approveCall, denyCall } from "./commands/approvals/decide.ts";
import { listApprovals } from "./commands/approvals/list.ts";
import { showApproval } from "./commands/approvals/show.ts";
import { listAudit } from "./commands/audit/list-audit.ts";
import { verifyAudit } from "./commands/audit/verify-audit.ts";
import { chat } from "./commands/chat.ts";
import { completion } from "./commands/completion.ts";
import { connectComputer } from "./commands/computer/connect.ts";
import { createComputer } from "./commands/computers/create.ts";
import { deleteComputer } from "./commands/computers/delete.ts";
import { listComputers } from "./commands/computers/list.ts";
import { createComputerToken, workforceComputerToken } from "./commands/computers/tokens/create.ts";
import { deleteComputerToken } from "./commands/computers/tokens/delete.ts";
import { listComputerTokens } from "./commands/computers/tokens/list.ts";
import { doctor } from "./commands/doctor.ts";
import { createHook } from "./commands/hooks/create.ts";
import { deleteHook } from "./commands/hooks/delete.ts";
import { listHooks } from "./commands/hooks/list.ts";
import { listHookDeliveries } from "./commands/hooks/list-deliveries.ts";
import { replayHookDelivery } from "./commands/hooks/replay-delivery.ts";
import { showHook } from "./commands/hooks/show.ts";
import { updateHook } from "./commands/hooks/update.ts";
import { createIdentityProvider } from "./commands/identity-providers/create.ts";
import { deleteIdentityProvider } from "./commands/identity-providers/delete.ts";
import { listIdentityProviders } from "./commands/identity-providers/list.ts";
import { showIdentityProvider } from "./commands/identity-providers/show.ts";
import { createKey } from "./commands/keys/create.ts";
import { deleteKey } from "./commands/keys/delete.ts";
import { listKeys } from "./commands/keys/list.ts";
import { updateKey } from "./commands/keys/update.ts";
import { addMcpServer } from "./commands/mcp-servers/add.ts";
import { listMcpServers } from "./commands/mcp-servers/list.ts";
import { removeMcpServer } from "./commands/mcp-servers/remove.ts";
import { showMcpServer } from "./commands/mcp-servers/show.ts";
import { testMcpServer } from "./commands/mcp-servers/test.ts";
import { updateMcpServer } from "./commands/mcp-servers/update.ts";
import { models } from "./commands/models.ts";
import { applyProject } from "./commands/project/apply.ts";
import { diffProject } from "./commands/project/diff.ts";
import { exportProject } from "./commands/project/export.ts";
import { createProject } from "./commands/projects/create.ts";
import { listProjects } from "./commands/projects/list.ts";
import { deleteProviderKey } from "./commands/projects/provider-keys/delete.ts";
import { listProviderKeys } from "./commands/projects/provider-keys/list.ts";
import { setProviderKey } from "./commands/projects/provider-keys/set.ts";
import { addToolHost } from "./commands/projects/tool-hosts/add.ts";
import { listToolHosts } from "./commands/projects/tool-hosts/list.ts";
import { removeToolHost } from "./commands/projects/tool-hosts/remove.ts";
import { rotateToolSecret } from "./commands/projects/tool-hosts/rotate-tool-secret.ts";
import { updateProject } from "./commands/projects/update.ts";
import { runCommand } from "./commands/run.ts";
import { createSchedule } from "./commands/schedules/create.ts";
import { deleteSchedule } from "./commands/schedules/delete.ts";
import { listSchedules } from "./commands/schedules/list.ts";
import { listScheduleRuns } from "./commands/schedules/list-runs.ts";
import { runSchedule } from "./commands/schedules/run.ts";
import { showSchedule } from "./commands/schedules/show.ts";
import { pauseSchedule, resumeSchedule } from "./commands/schedules/switch.ts";
import { updateSchedule } from "./commands/schedules/update.ts";
import { serve } from "./commands/serve.ts";
import { listSessionsCommand } from "./commands/sessions/list.ts";
import { sessionLogs } from "./commands/sessions/logs.ts";
import { showSession } from "./commands/sessions/show.ts";
import { tailSession } from "./commands/sessions/tail.ts";
import { mintToken } from "./commands/tokens/mint.ts";
import { revokeToken } from "./commands/tokens/revoke.ts";
import { usage } from "./commands/usage.ts";
import { createWebhook } from "./commands/webhooks/create.ts";
import { deleteWebhook } from "./commands/webhooks/delete.ts";
import { listWebhooks } from "./commands/webhooks/list.ts";
import { listDeliveries } from "./commands/webhooks/list-deliveries.ts";
import { replayDelivery } from "./commands/webhooks/replay-delivery.ts";
import { rotateWebhook } from "./commands/webhooks/rotate.ts";
import { testWebhook } from "./commands/webhooks/test.ts";
import { updateWebhook } from "./commands/webhooks/update.ts";
import { cancelWorkforce } from "./commands/workforce/cancel.ts";
import { deleteWorkforce } from "./commands/workforce/delete.ts";
import { deleteRecording } from "./commands/workforce/delete-recording.ts";
import { hire } from "./commands/workforce/hire.ts";
import { createWorkforceKey } from "./commands/workforce/keys/create.ts";
import { deleteWorkforceKey } from "./commands/workforce/keys/delete.ts";
import { listWorkforceKeys } from "./commands/workforce/keys/list.ts";
import { listWorkforce } from "./commands/workforce/list.ts";
import { pauseAgent, resumeAgent } from "./commands/workforce/pause.ts";
import { workforcePrebuilt } from "./commands/workforce/prebuilt.ts";
import { workforceQueue } from "./commands/workforce/queue.ts";
import { rerunWorkforce } from "./commands/workforce/rerun.ts";
import { runWorkforce } from "./commands/workforce/run.ts";
import { showWorkforce } from "./commands/workforce/show.ts";
import { workforceThreads } from "./commands/workforce/threads.ts";
import { updateWorkforce } from "./commands/workforce/update.ts";
import { watchWorkforce } from "./commands/workforce/watch.ts";
import { environmentHelp, withProgram } from "./help.ts";
import type { Act, AddCommand } from "./invocation.ts";
import type { Output } from "./output.ts";
import type { Io } from "./process-io.ts";

/** Creates the program with the commands that `args` may name: all, if there are none. */
export async function createProgram(
  act: Act,
  io: Io,
  out: Output,
  args: readonly string[] = [],
): Promise<Command> {
  const program = new Command("muster")
    .description("Create, test and deploy agents, and chat with them on a Muster server.")
    .version(manifest.version, "-V, --version", "Show the version")
    .helpOption("-h, --help", "Show help")
    .helpCommand("help [command]", "Show help for a command.")
    .addHelpText("after", environmentHelp)
    // Options after a command belong to that command: pull has its own --version.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.help(withProgram(text, io.program)),
      writeErr: (text) => out.notePiece(withProgram(text.replace(/^error: /, "Error: "), io.program)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ subcommandTerm: (command) => command.name() });
  const agents = program.command("agents").description("Manage agents in folders and on the server.");
  addAll(agents, act, await agentCommands(args));
  addAll(program, act, [chat, runCommand, applyProject, diffProject, exportProject]);
  addAll(program.command("sessions").description("Inspect sessions."), act, [
    listSessionsCommand,
    showSession,
    sessionLogs,
    tailSession,
  ]);
  const approvals = program
    .command("approvals")
    .description("Decide on tool calls that wait for approval. Requires a key with the permission approve.");
  addAll(approvals, act, [listApprovals, showApproval, approveCall, denyCall]);
  addWorkforce(program, act);
  addComputers(program, act);
  addAll(program, act, [models, usage]);
  const projects = program
    .command("projects")
    .description("Manage projects. Requires a key with the permission admin for any project.");
  addAll(projects, act, [createProject, listProjects, updateProject]);
  const providerKeys = projects
    .command("provider-keys")
    .description(
      "Manage a project's own keys for model providers. Requires a key with the permission admin.",
    );
  addAll(providerKeys, act, [setProviderKey, listProviderKeys, deleteProviderKey]);
  const toolHosts = projects
    .command("tool-hosts")
    .description(
      "Manage the hosts of a project's HTTP tools, and their secrets. Requires a key with the permission admin.",
    );
  addAll(toolHosts, act, [addToolHost, listToolHosts, rotateToolSecret, removeToolHost]);
  const keys = program
    .command("keys")
    .description("Manage API keys. Requires a key with the permission admin.");
  addAll(keys, act, [createKey, listKeys, updateKey, deleteKey]);
  const tokens = program
    .command("tokens")
    .description(
      "Mint and revoke short-lived tokens. Requires a key with the permission mint-tokens; minting also requires sessions.",
    );
  addAll(tokens, act, [mintToken, revokeToken]);
  const identityProviders = program
    .command("identity-providers")
    .description(
      "Manage the issuers whose signed tokens are accepted. Requires a key with the permission admin.",
    );
  addAll(identityProviders, act, [
    createIdentityProvider,
    listIdentityProviders,
    showIdentityProvider,
    deleteIdentityProvider,
  ]);
  const mcp = program
    .command("mcp")
    .description("Manage the MCP servers of agents. Requires a key with the permission admin.");
  addAll(mcp, act, [
    ...[addMcpServer, listMcpServers, showMcpServer],
    ...[updateMcpServer, testMcpServer, removeMcpServer],
  ]);
  const webhooks = program
    .command("webhooks")
    .description("Manage the URLs to which events are sent. Requires a key with the permission admin.");
  addAll(webhooks, act, [
    ...[createWebhook, listWebhooks, updateWebhook, deleteWebhook, rotateWebhook],
    ...[testWebhook, listDeliveries, replayDelivery],
  ]);
  const hooks = program
    .command("hooks")
    .description(
      "Manage the addresses to which other systems post events for workforce agents. Requires a key with the permission workforce.",
    );
  addAll(hooks, act, [
    ...[createHook, listHooks, showHook, updateHook, deleteHook],
    ...[listHookDeliveries, replayHookDelivery],
  ]);
  const schedules = program
    .command("schedules")
    .description(
      "Send messages to workforce agents at set times. Requires a key with the permission workforce.",
    );
  addAll(schedules, act, [
    ...[createSchedule, listSchedules, showSchedule, updateSchedule, deleteSchedule],
    ...[runSchedule, pauseSchedule, resumeSchedule, listScheduleRuns],
  ]);
  const audit = program
    .command("audit")
    .description("Read and verify the log of changes. Requires a key with the permission admin.");
  addAll(audit, act, [listAudit, verifyAudit]);
  const admin = program
    .command("admin")
    .description("Back up, restore and move the data of a Muster on this machine.");
  addAll(admin, act, [adminBackup, adminRestore, adminMove]);
  addAll(program, act, [serve, doctor, completion]);
  completeAll(program, io.program);
  return program;
}

/**
 * The compiler, the model catalog and the libraries of folders take longer to load than everything else, so they are
 * loaded only for a command that may need them, for a list of all commands, and for a mistyped one.
 */
async function agentCommands([group = "agents", name = ""]: readonly string[]): Promise<AddCommand[]> {
  const light = new Map([list, versions, archive].map((command) => [command.name, command]));
  const named = light.get(name);
  if (group === "agents" && named !== undefined) return [named];
  if (group !== "agents" && group !== "completion") return [...light.values()];
  const { dev, diff, newAgent, pull, push, show, validate } = await import("./commands/agents/of-folders.ts");
  return [newAgent, validate, dev, push, pull, list, show, versions, diff, archive];
}

function addWorkforce(program: Command, act: Act): void {
  const workforce = program
    .command("workforce")
    .description(
      "Hire workforce agents and give them work. Requires a key with the permission workforce, or an agent's own key in MUSTER_AGENT_KEY.",
    );
  addAll(workforce, act, [
    workforcePrebuilt,
    hire,
    listWorkforce,
    showWorkforce,
    updateWorkforce,
    rerunWorkforce,
    pauseAgent,
    resumeAgent,
    deleteWorkforce,
    runWorkforce,
    workforceThreads,
    watchWorkforce,
    deleteRecording,
    cancelWorkforce,
    workforceQueue,
    workforceComputerToken,
  ]);
  const keys = workforce.command("keys").description("Manage the keys of a workforce agent.");
  addAll(keys, act, [createWorkforceKey, listWorkforceKeys, deleteWorkforceKey]);
}

function addComputers(program: Command, act: Act): void {
  const computer = program.command("computer").description("Make this machine the computer of agents.");
  addAll(computer, act, [connectComputer]);
  const computers = program
    .command("computers")
    .description("Manage the computers that dial in. Requires a key with the permission workforce.");
  addAll(computers, act, [createComputer, listComputers, deleteComputer]);
  const tokens = computers.command("tokens").description("Manage the tokens with which computers connect.");
  addAll(tokens, act, [createComputerToken, listComputerTokens, deleteComputerToken]);
}

function addAll(group: Command, act: Act, commands: readonly AddCommand[]): void {
  const before = new Set(group.commands);
  for (const add of commands) add(group, act);
  for (const command of group.commands) {
    if (before.has(command)) continue;
    command
      .optionsGroup("Global options:")
      .option("--url <address>", "Server address (default: MUSTER_URL)")
      .option("--project <id>", "Project to act in (default: MUSTER_PROJECT, or the project of the key)")
      .option("--json", "Print the result as JSON");
  }
}

/** Gives every command the same help option, and errors that point to the help. */
function completeAll(command: Command, path: string): void {
  command.helpOption("-h, --help", "Show help");
  command.showHelpAfterError(`Run "${path} --help" for usage.`);
  for (const child of command.commands) {
    child.helpCommand(false);
    completeAll(child, `${path} ${child.name()}`);
  }
}
