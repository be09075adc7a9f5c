import type { Command } from "./command.ts";
import { createIndexes } from "./create-indexes.ts";
import { deleteCommand } from "./delete.ts";
import { endSessions } from "./end-sessions.ts";
import { find } from "./find.ts";
import { findAndModify } from "./find-and-modify.ts";
import { getMore } from "./get-more.ts";
import { buildInfo, hello, isMaster, ismaster, ping } from "./hello.ts";
import { insert } from "./insert.ts";
import { killCursors } from "./kill-cursors.ts";
import { update } from "./update.ts";

/** Every command, by the name that requests begin with. */
export const commands: ReadonlyMap<string, Command> = new Map(
  [
    hello,
    isMaster,
    ismaster,
    ping,
    buildInfo,
    insert,
    find,
    getMore,
    killCursors,
    update,
    deleteCommand,
    findAndModify,
    createIndexes,
    endSessions,
  ].map((command) => [command.name, command]),
);
