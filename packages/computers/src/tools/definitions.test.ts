import assert from "node:assert/strict";
import { computerToolParameters, isJsonObject, type JsonValue } from "@muster/language";
import { test } from "vitest";
import { computerTools } from "./definitions.ts";

test("the compiler knows the tools of computers, with the names and types of their parameters", () => {
  const typeOf = (parameter: JsonValue) => isJsonObject(parameter) && { type: parameter.type };
  const offered = computerTools("", "/home").map(({ name, inputSchema: { properties } }) => {
    const parameters = Object.entries(isJsonObject(properties) ? properties : {});
    return [name, Object.fromEntries(parameters.map(([key, parameter]) => [key, typeOf(parameter)]))];
  });
  const known = Object.entries(computerToolParameters).flatMap(([namespace, tools]) =>
    Object.entries(tools).map(([name, parameters]) => [`${namespace}__${name}`, parameters]),
  );
  assert.deepEqual(Object.fromEntries(known), Object.fromEntries(offered));
});
