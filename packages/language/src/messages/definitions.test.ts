import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { DefinitionSchema, Format } from "@muster/proto/agents";
import { test } from "vitest";
import { formatMessage, formatOf, isFormat, sourceOf } from "./index.ts";

test("every format but UNSPECIFIED converts to the language and back", () => {
  for (const message of Object.values(Format)) {
    const format = formatOf(message);
    if (message === Format.UNSPECIFIED) assert.equal(format, undefined);
    else assert.equal(format && formatMessage(format), message);
  }
});

test("a missing format and the format of a newer peer are undefined", () => {
  assert.equal(formatOf(undefined), undefined);
  // @ts-expect-error The wire can carry values that the enum does not list.
  assert.equal(formatOf(99), undefined);
});

test("a name that every object inherits is not a format", () => {
  assert.ok(isFormat("worker"));
  assert.ok(!isFormat("constructor"));
});

test("a definition without a known format is refused instead of guessed", () => {
  const settings = { slug: "a", name: "A" };
  const definition = { protocol: "", prompts: [], references: [] };
  const worker = create(DefinitionSchema, {
    ...definition,
    settings: { ...settings, format: Format.WORKER },
  });
  assert.equal(sourceOf(worker).settings.format, "worker");
  assert.throws(() => sourceOf(create(DefinitionSchema, { ...definition, settings })), /no known format/);
  assert.throws(() => sourceOf(create(DefinitionSchema, definition)), /no known format/);
});
