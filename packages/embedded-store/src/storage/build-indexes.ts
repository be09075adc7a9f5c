import { Doc } from "../bson/value.ts";
import type { Steps } from "../steps.ts";
import { bufferOf } from "./buffers.ts";
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
  let isComplete = false;
  try {
    yield* fill(catalog, database, collection, builds);
    const current = catalog.withUuid(namespace, uuid);
    for (const build of builds) catalog.addIndex(current, build.spec, build);
    isComplete = true;
  } finally {
    for (const build of builds) running.delete(build);
    database.hasTrash ||= !isComplete;
  }
}

function* fill(
  catalog: Catalog,
  database: Database,
  { id, namespace, uuid }: Collection,
  builds: readonly IndexBuild[],
): Steps<void> {
  let last = 0;
  for (;;) {
    catalog.withUuid(namespace, uuid);
    database.begin();
    let isOver = false;
    const select = `SELECT row, content FROM documents_${id} WHERE row > ? ORDER BY row`;
    for (const found of database.statement(select).iterate(last)) {
      if (!Array.isArray(found)) continue;
      last = Number(found[0]);
      const content = bufferOf(found[1]);
      for (const build of builds) build.write(last, undefined, Doc.fromRaw(content));
      isOver = database.pace.spend(builds.length * (content.length + 1024));
      if (isOver) break;
    }
    for (const build of builds) build.check();
    if (!isOver) return;
    yield;
  }
}
