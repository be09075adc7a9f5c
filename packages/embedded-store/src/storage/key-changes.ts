import type { Doc } from "../bson/value.ts";
import { changedElements } from "../query/array-changes.ts";
import { type IndexTable, maxKeys } from "./index-table.ts";

/** The entries by which an index has to change. */
export interface KeyChanges {
  readonly removed: readonly Buffer[];
  readonly added: readonly Buffer[];
}

export function keyChanges(index: IndexTable, before: Doc, after: Doc): KeyChanges {
  const { partial, fields } = index.spec;
  const elements = partial ? undefined : changedElements(before, after, fields, maxKeys);
  if (elements) return elements;
  const oldKeys = index.keysOf(before);
  const newKeys = index.newKeysOf(after);
  return { removed: without(oldKeys, newKeys), added: without(newKeys, oldKeys) };
}

function without(keys: readonly Buffer[], others: readonly Buffer[]): readonly Buffer[] {
  const [key] = keys;
  const [other] = others;
  // Nearly every document has one key; a set would cost more than it saves.
  if (key && other && keys.length === 1 && others.length === 1) return key.equals(other) ? [] : keys;
  const texts = new Set(others.map((each) => each.toString("latin1")));
  return keys.filter((each) => !texts.has(each.toString("latin1")));
}
