import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gatewayDefaults } from "@muster/gateway";
import { definitionLimits } from "@muster/language";
import { folderLimits } from "@muster/language/folder";
import { defaultResponseBounds, defaultStreamLimits } from "@muster/models";
import { maxMessageBytes, principalLifetimeMs } from "@muster/rpc";
import { exitLimitMs, exitPatienceMs, maxWaitingLogBytes } from "@muster/service";
import { defaultTimings, sessionsDefaults } from "@muster/sessions";
import { describe, test } from "vitest";

const docs = resolve(import.meta.dirname, "../../../docs");
const rows = readFileSync(resolve(docs, "limits.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| bound "))
  .map((line) => line.split("|").map((cell) => cell.trim()));

const bytes = (size: number) => (size % 1024 ** 2 === 0 ? `${size / 1024 ** 2} MiB` : `${size / 1024} KiB`);
const seconds = (timeMs: number) => `${timeMs / 1_000} s`;
const count = (number: number) => number.toLocaleString("en");

const { streams } = gatewayDefaults;

/** The value of each bound that the code exports. */
const values: Array<[bound: string, value: string]> = [
  ["`GET /api/models` from one client address", `${gatewayDefaults.modelsRateLimitPerMinute} per minute`],
  ["wrong credentials from one client address", `${gatewayDefaults.authFailuresPerMinute} per minute`],
  ["a cached credential; a cached refusal", `${seconds(gatewayDefaults.authCacheMs)}; 1 s`],
  ["the signed identity inside the platform", seconds(principalLifetimeMs)],
  [
    "a protocol",
    `${bytes(definitionLimits.protocolBytes)}, ${definitionLimits.depth} levels, ${count(definitionLimits.lexemes)} tokens of YAML`,
  ],
  ["prompts", count(definitionLimits.prompts)],
  [
    "one prompt; all prompts",
    `${bytes(definitionLimits.promptBytes)}; ${bytes(definitionLimits.promptsBytes)}`,
  ],
  ["one prompt with its includes", `${count(definitionLimits.expandedPromptLength)} characters`],
  ["includes, conditionals inside each other in a prompt", String(definitionLimits.includeDepth)],
  ["references", count(definitionLimits.references)],
  [
    "one reference; all references",
    `${bytes(definitionLimits.referenceBytes)}; ${bytes(definitionLimits.referencesBytes)}`,
  ],
  ["types inside types; arrays inside arrays", `${definitionLimits.typeDepth}; 8`],
  ["schema nodes of one type, expanded", count(definitionLimits.typeNodes)],
  [
    "slug; name; description",
    `64; ${definitionLimits.nameLength}; ${count(definitionLimits.descriptionLength)} characters`,
  ],
  ["diagnostics in one report", count(definitionLimits.diagnostics)],
  ["`settings.json`", bytes(folderLimits.settingsBytes)],
  ["the front matter of a file", bytes(folderLimits.frontMatterBytes)],
  ["entries of `prompts` and `references`", `${count(folderLimits.entries)} each`],
  ["the stored state of a worker execution", bytes(sessionsDefaults.maxStateBytes)],
  ["inactivity of a session", `${sessionsDefaults.sessionTtlMs / 3_600_000} h`],
  ["waiting for the session's running turn", seconds(defaultTimings.busyWaitMs)],
  ["an execution that does not renew its lease", seconds(defaultTimings.leaseMs)],
  ["time for running turns when a sessions process stops", seconds(defaultTimings.drainMs)],
  ["one event of a stream, and each of its lines", bytes(defaultResponseBounds.maxEventBytes)],
  ["a whole response", bytes(defaultResponseBounds.maxResponseBytes)],
  ["silence before the first part", seconds(defaultStreamLimits.firstPartTimeoutMs)],
  ["silence between two parts", seconds(defaultStreamLimits.stallTimeoutMs)],
  ["the first event of a stream", seconds(streams.firstEventTimeoutMs)],
  ["a reader that takes nothing while data is waiting for it", seconds(streams.drainTimeoutMs)],
  ["time for open streams when the server stops", seconds(gatewayDefaults.drainMs)],
  ["a message", bytes(maxMessageBytes)],
  ["a call of the gateway, except streams", seconds(gatewayDefaults.callTimeoutMs)],
  ["lines that wait to be written", bytes(maxWaitingLogBytes)],
  ["an exit's wait for a reader of the log that accepts nothing", seconds(exitPatienceMs)],
  ["an exit's wait for the log in all", seconds(exitLimitMs)],
];

describe("docs/limits.md", () => {
  for (const [bound, value] of values) {
    test(`the limits page states the current value of: ${bound}`, () => {
      assert.deepEqual(
        rows.filter(([, name]) => name === bound).map(([, , stated]) => stated),
        [value],
      );
    });
  }

  test("every setting of the limits page is described on the configuration page", () => {
    const configuration = readFileSync(resolve(docs, "configuration.md"), "utf8");
    const settings = rows.flatMap(
      ([, , , setting = ""]) => setting.match(/[A-Z][A-Z0-9]*_[A-Z0-9_]+/g) ?? [],
    );
    assert.ok(settings.length > 10);
    assert.deepEqual(
      settings.filter((setting) => !configuration.includes(`\`${setting}\``)),
      [],
    );
  });

  test("every row of the limits page has a bound, a value, a setting and a consequence", () => {
    for (const row of rows.filter(([, bound]) => !/^-+$/.test(bound ?? ""))) {
      assert.equal(row.length, 6, row.join("|"));
      assert.ok(row[1] && row[2], row.join("|"));
    }
  });
});
