import { aggregate } from "./aggregate.ts";
import { backUp } from "./back-up.ts";
import type { Command } from "./command.ts";
import { count } from "./count.ts";
import { create } from "./create.ts";
import { createIndexes } from "./create-indexes.ts";
import { deleteCommand } from "./delete.ts";
import { drop } from "./drop.ts";
import { dropDatabase } from "./drop-database.ts";
import { dropIndexes } from "./drop-indexes.ts";
import { explain } from "./explain.ts";
import { find } from "./find.ts";
import { findAndModify } from "./find-and-modify.ts";
import { getMore } from "./get-more.ts";
import { hello, ismaster, ping } from "./hello.ts";
import { insert } from "./insert.ts";
import { killCursors } from "./kill-cursors.ts";
import { listCollections } from "./list-collections.ts";
import { listDatabases } from "./list-databases.ts";
import { listIndexes } from "./list-indexes.ts";
import { update } from "./update.ts";

/** Every command, keyed by the first field of its requests. */
export const commandRegistry: ReadonlyMap<string, Command> = new Map(
  [
    hello,
    ismaster,
    ping,
    insert,
    find,
    getMore,
    killCursors,
    update,
    deleteCommand,
    findAndModify,
    createIndexes,
    aggregate,
    explain,
    listDatabases,
    listCollections,
    listIndexes,
    dropIndexes,
    dropDatabase,
    drop,
    create,
    count,
    backUp,
  ].map((command) => [command.name, command]),
);
