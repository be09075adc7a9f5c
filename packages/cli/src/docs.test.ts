import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { describe, test } from "vitest";
import { exitCodes, ownCodes } from "./exit.ts";
import { Output } from "./output.ts";
import { processIo } from "./process-io.ts";
import { createProgram } from "./program.ts";

const root = resolve(import.meta.dirname, "../../..");
const page = await readFile(join(root, "docs/cli.md"), "utf8");

/** Options of every command, in the general part of the page. */
const common = ["--url <address>", "--project <id>", "--json"];

function leavesOf(command: Command, path: string): Array<[usage: string, command: Command]> {
  if (command.commands.length > 0)
    return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`));
  const names = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[[path, ...names].join(" "), command]];
}

const io = processIo();
// One for all: each listens for errors of the standard output.
const output = new Output(io, false);
const leaves = leavesOf(await createProgram(() => async () => {}, io, output), "muster");

const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [/^`([^`]+)`/.exec(section)?.[1] ?? section, section.split(/^## /m)[0] ?? ""] as const),
);

describe("docs/cli.md", () => {
  test("docs/cli.md describes every command, and no others", () => {
    assert.deepEqual([...sections.keys()].toSorted(), leaves.map(([usage]) => usage).toSorted());
  });

  for (const [usage, command] of leaves) {
    test(`docs/cli.md describes every option of ${usage}, and no others`, () => {
      const documented = [...(sections.get(usage) ?? "").matchAll(/^\| `(--?[^`]+)` \|/gm)].map(
        ([, flags]) => flags,
      );
      const own = command.options.map(({ flags }) => flags).filter((flags) => !common.includes(flags));
      assert.deepEqual(documented.toSorted(), own.toSorted());
      for (const flags of common)
        assert.ok(
          command.options.some((option) => option.flags === flags),
          flags,
        );
    });
  }

  test("docs/cli.md lists every error code of the command, and no others", () => {
    const list = /^Codes of the command's own.*?\n\n/msu.exec(page)?.[0] ?? "";
    const documented = [...list.matchAll(/`([A-Z_]+[A-Z])`/g)].map(([, code]) => code);
    assert.deepEqual(documented.toSorted(), [...ownCodes].toSorted());
  });

  test("docs/cli.md lists every exit code, and no others", () => {
    const table = /\| exit code \|.*?\n\n/su.exec(page)?.[0] ?? "";
    const documented = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    assert.deepEqual(documented, Object.values(exitCodes));
  });
});

/** The command lines of a page's code blocks, split into words as a shell does. */
function commandsIn(markdown: string): string[][] {
  const blocks = [...markdown.matchAll(/^```(?:sh|yaml)\n(.*?)^```/gms)].map(([, block = ""]) =>
    block.replace(/ *\\\n */g, " "),
  );
  const lines = blocks.flatMap((block) => [
    ...block.matchAll(
      /(?<!\/)\bmuster (?:-- )?((?:admin|agents|apply|approvals|audit|chat|diff|export|run|sessions|workforce|computers?|models|projects|keys|tokens|identity-providers|mcp|webhooks|hooks|schedules|usage|serve|doctor|completion)\b.*)/g,
    ),
  ]);
  return lines.map(([, line = ""]) => {
    const words = [...line.matchAll(/(?:"[^"]*"|[^\s"])+/g)].map(([word]) => word);
    // Redirections by the shell are not part of the command.
    const end = words.findIndex((word) => /^(?:[#>|].*|&)$/.test(word));
    return words.slice(0, end === -1 ? undefined : end).map((word) => word.replaceAll('"', ""));
  });
}

test("every muster command line in the documentation is valid", async () => {
  const commands: string[][] = [];
  for await (const path of glob("{README.md,docs/*.md,docs/api/*.md,examples/*/README.md}", { cwd: root }))
    commands.push(...commandsIn(await readFile(join(root, path), "utf8")));
  assert.ok(commands.length > 20, String(commands.length));
  for (const args of commands) {
    let ran = false;
    const act = () => async () => {
      ran = true;
    };
    await (await createProgram(act, io, output)).parseAsync(args, { from: "user" });
    assert.ok(ran, args.join(" "));
  }
});

test("every example in the help of muster is a valid command line", async () => {
  let help = "";
  for (const [usage, command] of leaves) {
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    command.outputHelp();
    assert.ok(help.includes(command.description()), usage);
  }
  const lines = [...help.matchAll(/^ {2}\$ .*?\bmuster (.*)$/gm)].map(([, line = ""]) => line);
  assert.ok(lines.length > 10, help);
  for (const line of lines) {
    let ran = false;
    const act = () => async () => {
      ran = true;
    };
    const [args = []] = commandsIn(`\`\`\`sh\nmuster ${line}\n\`\`\``);
    await (await createProgram(act, io, output)).parseAsync(args, { from: "user" });
    assert.ok(ran, line);
  }
});
