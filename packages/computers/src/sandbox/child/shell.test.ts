import assert from "node:assert/strict";
import { Bash } from "just-bash";
import { test } from "vitest";

test("the shell's commands for XML, CSV, INI, TOML, archives and patterns run without the packages that `overrides` leave out", async () => {
  const script = [
    "echo '<a><b>1</b></a>' | yq -p xml .a.b",
    "printf 'a,b\\n1,2\\n' | yq -p csv '.[0].b'",
    "printf '[a]\\nb=3' | yq -p ini .a.b",
    "echo a=4 | yq -p toml .a",
    "echo 5 > f; file -b f; tar cf t f; tar xOf t",
    "echo 6 | grep -P '\\d'",
    "echo '<b>7</b>' | html-to-markdown",
  ].join("\n");
  const { stdout } = await new Bash().exec(script);
  const lines = stdout.replaceAll('"', "").trim().split("\n");
  assert.deepEqual(lines, ["1", "2", "3", "4", "ASCII text", "5", "6", "**7**"]);
});
