import {
  type Computer,
  ComputerElsewhereError,
  ComputerFileError,
  ComputerUnreachableError,
  StaleEpochError,
} from "@muster/computers";
import { ClaimStopped } from "@muster/service/claim";
import { FileUnavailable, openFile, requestBytesOf } from "@muster/storage/files";
import type { WorkforceContext } from "../../context.ts";
import { fileNames } from "../../input/file-names.ts";
import type { StoredMessage, ThreadDocument } from "../../store/thread-document.ts";
import { progress } from "../../store/thread-moves.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { Broken } from "./broken.ts";
import { moveOwn } from "./persist.ts";

const maxTries = 5;

type Context = Pick<WorkforceContext, "threads" | "rules" | "files" | "fetchFile">;

/**
 * Puts the files of a message on the computer. Returns the message with their paths, which are stored before the first file
 * is: a process that takes the run over writes the same ones again. Throws {@link Broken}.
 */
export async function placeFiles(
  context: Context,
  run: ActiveRun,
  computer: Computer,
  thread: Pick<ThreadDocument, "placing">,
  message: StoredMessage,
): Promise<StoredMessage> {
  if (message.files.length === 0) return message;
  try {
    const paths = await chosenPaths(context, run, computer, thread, message);
    let room = requestBytesOf(context.rules);
    for (const [index, file] of message.files.entries()) {
      room -= await againWhenConnected(run, async () => {
        let size = 0;
        const content = counted(openFile(context, file, room, run.stopping), (bytes) => {
          size += bytes;
        });
        await computer.putFile(paths[index] ?? "", content, run.stopping);
        return size;
      });
    }
    return { ...message, paths };
  } catch (error) {
    run.check();
    throw brokenBy(run, error);
  }
}

/** A transfer that is cut begins again: the next attempt waits for the computer's connection. */
async function againWhenConnected<T>(run: ActiveRun, transfer: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    run.check();
    try {
      return await transfer();
    } catch (error) {
      if (!(error instanceof ComputerUnreachableError) || tries === maxTries) throw error;
    }
  }
}

async function chosenPaths(
  context: Context,
  run: ActiveRun,
  computer: Computer,
  { placing }: Pick<ThreadDocument, "placing">,
  { id, files }: StoredMessage,
): Promise<string[]> {
  if (placing?.messageId === id) return placing.paths;
  const taken = await againWhenConnected(run, () => namesIn(computer, run.stopping));
  const paths = fileNames(files, taken).map((name) => `${computer.filesFolder}/${name}`);
  await moveOwn(context, run, progress(run.driver, { placing: { messageId: id, paths } }));
  return paths;
}

async function namesIn(computer: Computer, signal: AbortSignal): Promise<string[]> {
  try {
    const entries = await computer.listFiles(computer.filesFolder, signal);
    return entries.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  } catch (error) {
    if (error instanceof ComputerFileError && error.isMissing) return [];
    throw error;
  }
}

async function* counted(content: AsyncIterable<Uint8Array>, count: (bytes: number) => void) {
  for await (const chunk of content) {
    count(chunk.length);
    yield chunk;
  }
}

function brokenBy(run: ActiveRun, error: unknown): unknown {
  if (error instanceof StaleEpochError) {
    run.stop("lost");
    return new ClaimStopped("lost");
  }
  if (error instanceof ComputerElsewhereError) {
    run.stop("draining");
    return new ClaimStopped("draining");
  }
  const options = { cause: error };
  if (error instanceof ComputerUnreachableError) return new Broken({ at: "computer" }, options);
  if (error instanceof FileUnavailable) {
    return new Broken({ at: "file", isOwn: error.isOwn, reason: error.message }, options);
  }
  if (error instanceof ComputerFileError) {
    const reason = `The files of the message do not fit on the agent's computer. ${error.message}`;
    return new Broken({ at: "file", isOwn: true, reason }, options);
  }
  return error;
}
