import assert from "node:assert/strict";
import { resolve } from "node:path";
import { readAgentFolder } from "@muster/language/folder";

const examples = resolve(import.meta.dirname, "../../../../examples");

/** The definition of an agent in `examples/`, as the body of a request that creates it. */
export async function readExample(slug: string) {
  const read = await readAgentFolder(resolve(examples, slug));
  assert.ok(read.ok, JSON.stringify(read));
  return read.definition;
}
