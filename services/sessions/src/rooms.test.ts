import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const houses = ["services/gateway", "services/sessions", "services/workforce", "packages/engine"].map(
  (folder) => {
    const src = join(root, folder, "src");
    const files = globSync("**/*.ts", { cwd: src }).filter(
      (file) => !/\.test\.ts$|(^|\/)testing\//.test(file),
    );
    return { folder, src, files, rooms: roomsOf(readFileSync(join(root, folder, "README.md"), "utf8")) };
  },
);

describe.each(houses)("the rooms of $folder", ({ src, files, rooms }) => {
  test("the README lists every folder, and no other", () => {
    const folders = new Set(files.map(dirname).filter((folder) => folder !== "."));
    assert.deepEqual(rooms.toSorted(), [...folders].toSorted());
  });

  test("no file imports from a room further up in the README", () => {
    const upward = files.flatMap((file) =>
      importsOf(join(src, file))
        .map((path) => relative(src, path))
        .filter(
          (path) => rooms.indexOf(dirname(path)) < rooms.indexOf(dirname(file)) && dirname(path) !== ".",
        )
        .map((path) => `${file} imports ${path}`),
    );
    assert.deepEqual(upward, []);
  });
});

describe("the reading order in docs/trigger.md", () => {
  const entries = readingOrder(readFileSync(join(root, "docs/trigger.md"), "utf8"));

  test("a trigger passes through at most 30 files", () => {
    assert.ok(entries.length > 20 && entries.length <= 30, `${entries.length} files`);
  });

  test("the reading order of a trigger never leads back up to a higher room", () => {
    for (const { path, parent } of entries) {
      assert.ok(existsSync(path), path);
      const house = houses.find(({ src }) => parent?.startsWith(`${src}/`));
      if (parent === undefined || house === undefined) continue;
      const { src, rooms } = house;
      const roomOf = (file: string) => rooms.indexOf(dirname(relative(src, file)));
      // Loose files are in no room.
      assert.ok(roomOf(path) === -1 || roomOf(path) >= roomOf(parent), `${parent} leads up to ${path}`);
    }
  });
});

/** The folders in the table of the README, from the top down. */
function roomsOf(readme: string): string[] {
  const rows = readme.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((row) =>
    [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
}

function readingOrder(page: string): Array<{ path: string; parent: string | undefined }> {
  const block = page.split("## Reading the code")[1]?.split("```")[1] ?? "";
  const above: Array<{ indent: number; path: string }> = [];
  let base = "";
  return block.split("\n").flatMap((line) => {
    const [, spaces = "", name = ""] = /^( *)(\S+)/.exec(line) ?? [];
    if (name === "") return [];
    if (name.endsWith("/")) {
      base = name;
      above.length = 0;
      return [];
    }
    const path = join(root, base, name);
    while ((above.at(-1)?.indent ?? -1) >= spaces.length) above.pop();
    const parent = above.at(-1)?.path;
    above.push({ indent: spaces.length, path });
    return [{ path, parent }];
  });
}

/** The files that a file imports from its own package. */
function importsOf(file: string): string[] {
  const specifiers = readFileSync(file, "utf8").matchAll(/(?:from|import\(?) ?"(\.[^"]+)"/g);
  return Array.from(specifiers, ([, specifier = ""]) => join(dirname(file), specifier));
}
