import { Command } from "commander";
import manifest from "../package.json" with { type: "json" };
import { archive } from "./commands/agents/archive.ts";
import { diff } from "./commands/agents/diff.ts";
import { list } from "./commands/agents/list.ts";
import { newAgent } from "./commands/agents/new.ts";
import { pull } from "./commands/agents/pull.ts";
import { push } from "./commands/agents/push.ts";
import { show } from "./commands/agents/show.ts";
import { validate } from "./commands/agents/validate.ts";
import { versions } from "./commands/agents/versions.ts";
import { chat } from "./commands/chat.ts";
import { doctor } from "./commands/doctor.ts";
import { createKey } from "./commands/keys/create.ts";
import { deleteKey } from "./commands/keys/delete.ts";
import { listKeys } from "./commands/keys/list.ts";
import { models } from "./commands/models.ts";
import type { Act, AddCommand } from "./invocation.ts";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";

/** The whole tree of commands. */
export function createProgram(act: Act, io: Io, out: Output): Command {
  const program = new Command("muster")
    .description(
      "Works with agents on a server of Muster. MUSTER_URL says where it is, MUSTER_API_KEY with which key, MUSTER_PROJECT in which project.",
    )
    .version(manifest.version)
    // What stands behind a command belongs to it: pull has a --version of its own.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.help(text),
      writeErr: (text) => out.notePiece(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  const agents = program.command("agents").description("Agent definitions, in folders and on the server.");
  addAll(agents, act, [newAgent, validate, push, pull, list, show, versions, diff, archive]);
  addAll(program, act, [chat, models]);
  addAll(program.command("keys").description("API keys. They need the permission admin."), act, [
    createKey,
    listKeys,
    deleteKey,
  ]);
  addAll(program, act, [doctor]);
  addHints(program, "muster");
  return program;
}

function addAll(group: Command, act: Act, commands: readonly AddCommand[]): void {
  const before = new Set(group.commands);
  for (const add of commands) add(group, act);
  for (const command of group.commands) {
    if (before.has(command)) continue;
    command
      .option("--url <address>", "server to use instead of MUSTER_URL")
      .option("--project <id>", "project to act in instead of MUSTER_PROJECT or that of the key")
      .option("--json", "answer in JSON");
  }
}

/** What is wrong with a command line is followed by where to read what is right. */
function addHints(command: Command, path: string): void {
  command.showHelpAfterError(`${path} --help says how it is used.`);
  for (const child of command.commands) addHints(child, `${path} ${child.name()}`);
}
