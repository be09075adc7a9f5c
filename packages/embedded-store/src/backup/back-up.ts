import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { deserialize, serialize } from "bson";
import { openStore } from "../open-store.ts";
import { DirectoryError, dataName } from "../storage/data-file.ts";
import { MessageSplitter } from "../wire/message-splitter.ts";
import { opMsg } from "../wire/op-msg.ts";
import { BackupError, copyTo } from "./copy.ts";

/**
 * Copies the store in a directory into a new file. A running store does it itself, without stopping; otherwise this
 * process opens the directory. Rejects with BackupError or DirectoryError.
 */
export async function backUp(directory: string, file: string): Promise<void> {
  if (!existsSync(join(directory, dataName))) {
    throw new BackupError(`${directory} does not contain a store; name the data folder of Muster`);
  }
  const path = resolve(file);
  if (await backUpRunning(resolve(join(directory, "store.sock")), path)) return;
  try {
    const { database } = openStore(directory);
    try {
      await copyTo(database, path, () => false);
    } finally {
      database.close();
    }
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    throw new BackupError(
      `${error.message}. A running store accepts backups only over its socket, which it does not have here`,
    );
  }
}

/** Returns false if no store is running there. */
function backUpRunning(socketPath: string, file: string): Promise<boolean> {
  return new Promise((done, fail) => {
    const socket = connect(socketPath);
    const splitter = new MessageSplitter();
    let isConnected = false;
    socket.once("connect", () => {
      isConnected = true;
      socket.write(opMsg(serialize({ backUp: file, $db: "admin" })));
    });
    socket.on("data", (chunk: Buffer) => {
      for (const message of splitter.push(chunk)) {
        const reply = deserialize(message.subarray(21));
        socket.destroy();
        if (reply.ok === 1) done(true);
        else fail(new BackupError(String(reply.errmsg)));
      }
    });
    socket.once("error", () => {
      if (!isConnected) done(false);
    });
    socket.once("close", () => fail(new BackupError("the store stopped during the backup; try again")));
  });
}
