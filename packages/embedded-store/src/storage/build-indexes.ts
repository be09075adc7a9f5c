import { Doc } from "../bson/value.ts";
import type { Steps } from "../steps.ts";
import { bufferOf } from "./buffer-of.ts";
import type { Catalog } from "./catalog.ts";
import type { Collection } from "./collection.ts";
import type { Database } from "./database.ts";
import { IndexBuild } from "./index-build.ts";
import type { IndexSpec } from "./index-spec.ts";

/** Creates indexes over the documents of a collection as one unit: all of them, or none. Others write meanwhile. */
export function* buildIndexes(
  catalog: Catalog,
  database: Database,
  collection: Collection,
  specs: readonly IndexSpec[],
): Steps<void> {
  database.begin();
  const { namespace, uuid } = collection;
  const running = catalog.buildsOf(namespace);
  const builds = specs.map((spec) => new IndexBuild(database, namespace, spec));
  for (const build of builds) running.add(build);
  const check = () => {
    for (const build of builds) build.check();
    return catalog.withUuid(namespace, uuid);
  };
  const resume = () => {
    check();
    database.begin();
  };
  let isComplete = false;
  try {
    const insert = (build: IndexBuild) =>
      build.insertSorted((row) => catalog.withUuid(namespace, uuid).contentAt(row), resume);
    yield* read(database, collection.id, builds, check, insert);
    for (const build of builds) yield* insert(build);
    const current = check();
    for (const build of builds) catalog.addIndex(current, build.spec, build);
    isComplete = true;
  } finally {
    for (const build of builds) running.delete(build);
    database.hasTrash ||= !isComplete;
  }
}

/** `insert` frees the memory of a full build. Otherwise, this writes nothing, so that no client waits for a commit. */
function* read(
  database: Database,
  collection: number,
  builds: readonly IndexBuild[],
  check: () => void,
  insert: (build: IndexBuild) => Steps<void>,
): Steps<void> {
  let last = 0;
  for (;;) {
    check();
    const before = last;
    let isOver = false;
    const select = `SELECT row, content FROM documents_${collection} WHERE row > ? ORDER BY row`;
    for (const found of database.statement(select).iterate(before)) {
      if (!Array.isArray(found)) continue;
      last = Number(found[0]);
      const content = bufferOf(found[1]);
      for (const build of builds) build.read(last, Doc.fromRaw(content));
      isOver = database.pace.spend(builds.length * (content.length + 1024));
      if (isOver || builds.some((build) => build.isFull)) break;
    }
    for (const build of builds) if (build.isFull) yield* insert(build);
    if (last === before) return;
    if (isOver) yield;
  }
}
