import assert from "node:assert/strict";
import buildSerializers from "@fastify/fast-json-stringify-compiler";
import { test, vi } from "vitest";
import { startEdge } from "../../../test/support/start-edge.ts";
import { loadValidation, schemaCompilers } from "./schema-compilers.ts";

test("the schemas of all routes compile, although each is compiled only when it is needed", async (t) => {
  const { validator, buildSerializer } = schemaCompilers;
  const compilations: (() => unknown)[] = [];
  vi.spyOn(schemaCompilers, "validator").mockImplementation((route) => {
    const validate = validator(route);
    compilations.push(() => validate(undefined));
    return validate;
  });
  vi.spyOn(schemaCompilers, "buildSerializer").mockImplementation((...schemas) => {
    const compile = buildSerializers()(...schemas);
    const compileLazily = buildSerializer(...schemas);
    return (route) => {
      compilations.push(() => compile(route));
      return compileLazily(route);
    };
  });
  await startEdge(t);
  await loadValidation();
  assert.ok(compilations.length > 100, `${compilations.length} schemas`);
  for (const compile of compilations) compile();
});
