import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { parse } from "yaml";
import { cpuTimeMs } from "../test/support/cpu-time.ts";
import { validDefinitions, wildDefinitions } from "../test/support/definitions.ts";
import { plainTree } from "../test/support/trees.ts";
import { keysOf, markUsed } from "../test/support/used-keys.ts";
import { type Compilation, compileDefinition } from "./compile-definition.ts";
import { type Diagnostic, diagnosticCodes, Report } from "./diagnostics.ts";
import { protocolGrammar } from "./grammar/protocol-grammar.ts";
import type { DefinitionSource } from "./source.ts";
import type { JsonValue } from "./values/json.ts";
import { parseYaml } from "./yaml/parse-yaml.ts";
import { printProtocol } from "./yaml/print-protocol.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 40 * Number(process.env.LONG_RUN ?? 1);
/** Limit for the CPU time of one definition, ten times the usual; the benchmark measures exactly. */
const maxMs = 2_000;

function compileSoon(source: DefinitionSource): Compilation {
  let compiled: Compilation | undefined;
  const tookMs = cpuTimeMs(() => {
    compiled = compileDefinition(source);
  });
  assert.ok(tookMs < maxMs && compiled !== undefined, `${tookMs} ms`);
  return compiled;
}

function assertSound(source: DefinitionSource, compiled: Compilation): void {
  assert.equal(compiled.ok, !compiled.issues.some(({ severity }) => severity === "error"));
  for (const issue of compiled.issues) {
    if (issue.code === "LIMIT_EXCEEDED" && issue.message.endsWith("fix these first.")) continue;
    assert.equal(issue.severity, diagnosticCodes[issue.code]);
    assert.notEqual(issue.path, "", JSON.stringify(issue));
    assertPlace(source, issue);
  }
}

/** Checks that every diagnostic about a text has a line and a column that exist in it. */
function assertPlace(source: DefinitionSource, { path, message }: Diagnostic): void {
  const text = textAt(source, path);
  const [, line, column] = /^Line (\d+), column (\d+): /.exec(message) ?? [];
  if (line === undefined) {
    assert.match(path, /^(settings|prompts|references|protocol)(\.|$)/, message);
    return;
  }
  const found = text?.split("\n")[Number(line) - 1];
  // The end of the text is a valid position, too.
  assert.ok(found !== undefined && Number(column) >= 1 && Number(column) <= found.length + 1, message);
}

function textAt(source: DefinitionSource, path: string): string | undefined {
  const [list, second, key] = path.split(".");
  if (list === "settings") return second === "name" ? source.settings.name : source.settings.description;
  const item = list === "prompts" || list === "references" ? source[list][Number(second)] : undefined;
  if (item === undefined) return source.protocol;
  return key === "description" && "description" in item ? String(item.description) : item.content;
}

function printed(source: DefinitionSource): DefinitionSource | undefined {
  const report = new Report();
  const tree = parseYaml(source.protocol, report);
  // The tree contains only the first of two duplicate keys.
  if (tree === undefined || report.list().length > 0) return undefined;
  const protocol = printProtocol(tree);
  const again = parseYaml(protocol, new Report());
  assert.deepEqual(again && plainTree(again), plainTree(tree));
  return { ...source, protocol };
}

/** Issues without their positions in the text. */
function withoutPlaces(issues: readonly Diagnostic[]) {
  return issues.map(({ message, ...issue }) => ({
    ...issue,
    text: message.replace(/^Line \d+, column \d+: /, ""),
  }));
}

describe("valid definitions of the whole language", () => {
  test("valid definitions compile to the same program in any YAML style and after printing", () => {
    fc.assert(
      fc.property(validDefinitions(), (source) => {
        const compiled = compileSoon(source);
        assert.ok(compiled.ok, JSON.stringify(compiled.issues, undefined, 2));
        assertSound(source, compiled);
        assert.deepEqual(compileDefinition(source), compiled);
        const again = printed(source);
        assert.ok(again);
        const result = compileDefinition(again);
        assert.ok(result.ok);
        assert.deepEqual(result.program, compiled.program);
        assert.deepEqual(withoutPlaces(result.issues), withoutPlaces(compiled.issues));
      }),
      { numRuns },
    );
  });

  test("valid definitions compile to the same program in any order of prompts and references", () => {
    fc.assert(
      fc.property(validDefinitions(), (source) => {
        const reversed = {
          ...source,
          prompts: source.prompts.toReversed(),
          references: source.references.toReversed(),
        };
        const [compiled, other] = [compileDefinition(source), compileDefinition(reversed)];
        assert.ok(compiled.ok && other.ok);
        assert.deepEqual(other.program, compiled.program);
        assert.deepEqual(other.issues.map(codeOf).sort(), compiled.issues.map(codeOf).sort());
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });
});

test("the generated definitions use every key of the grammar and both formats", () => {
  const used = new Set<string>();
  const formats = new Set<string>();
  // Always the same definitions, so that this fails if the language grows but the generator does not.
  for (const source of fc.sample(validDefinitions(), { numRuns: 400, seed: 1 })) {
    const { format } = source.settings;
    formats.add(format);
    const protocol: JsonValue = parse(source.protocol, { uniqueKeys: false });
    markUsed(protocolGrammar.formats[format], protocol, used);
  }
  const all = Object.values(protocolGrammar.formats).flatMap((fields) => keysOf(fields));
  assert.deepEqual(
    all.filter((key) => !used.has(key)),
    [],
  );
  assert.deepEqual([...formats].sort(), Object.keys(protocolGrammar.formats).sort());
});

describe("damaged definitions", () => {
  test("damaged definitions are compiled or rejected quickly, and each issue has a place", () => {
    fc.assert(
      fc.property(wildDefinitions(), (source) => {
        const compiled = compileSoon(source);
        assertSound(source, compiled);
        assert.deepEqual(compileDefinition(source), compiled);
      }),
      { numRuns: numRuns * 2 },
    );
  });

  test("damaged definitions have the same result after printing", () => {
    fc.assert(
      fc.property(wildDefinitions(), (source) => {
        const again = printed(source);
        if (again === undefined) return;
        const [compiled, result] = [compileDefinition(source), compileDefinition(again)];
        assert.deepEqual(withoutPlaces(result.issues), withoutPlaces(compiled.issues));
        assert.deepEqual(result.ok && result.program, compiled.ok && compiled.program);
      }),
      { numRuns },
    );
  });

  test("damaged definitions have the same protocol issues in any order of prompts", () => {
    fc.assert(
      fc.property(wildDefinitions(), (source) => {
        // If two have the same name, the first counts.
        if (new Set(source.prompts.map(({ name }) => name)).size < source.prompts.length) return;
        const reversed = { ...source, prompts: source.prompts.toReversed() };
        const ofProtocol = (from: DefinitionSource) =>
          compileDefinition(from)
            .issues.filter(({ path }) => !path.startsWith("prompts"))
            .map(codeOf);
        assert.deepEqual(ofProtocol(reversed), ofProtocol(source));
      }),
      { numRuns },
    );
  });
});

test("a valid definition with more warnings than can be listed still compiles", () => {
  const inputs = Array.from({ length: 300 }, (_, index) => `  V${index}: { type: string }`);
  const [sound] = fc.sample(validDefinitions(), { numRuns: 1, seed: 1 });
  assert.ok(sound);
  const protocol = `input:\n${inputs.join("\n")}\nsteps: { Open: { block: start-thread, thread: main, model: demo/echo } }`;
  const source: DefinitionSource = { ...sound, settings: { ...sound.settings, format: "worker" }, protocol };
  const compiled = compileDefinition(source);
  assert.ok(compiled.ok);
  assertSound(source, compiled);
});

function codeOf({ code, path }: Diagnostic): string {
  return `${code} ${path.replace(/^(prompts|references)\.\d+/, "$1")}`;
}
