import {
  defaultSandboxLimits,
  listResult,
  readFileResult,
  readListing,
  readWriting,
} from "@muster/computers/tools";
import type { JsonValue } from "@muster/language/json";
import type { Execution } from "../calls/execution.ts";
import type { Outcome } from "../state/outcome.ts";
import type { Folder } from "./folder.ts";

const { maxListed, maxResultBytes } = defaultSandboxLimits;

type Tool = (args: JsonValue, folder: Folder, execution: Execution) => Promise<Outcome>;

/** The tools that read and write files in the folder. Reading again is harmless, so only writing is stored as begun. */
export const fileTools: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ["files__read", readTool],
  ["files__write", writeTool],
  ["files__list", listTool],
]);

async function readTool(args: JsonValue, folder: Folder, { note }: Execution): Promise<Outcome> {
  let close = async () => {};
  try {
    const result = await readFileResult(args, maxResultBytes, async (given) => {
      const path = folder.absolute(given);
      note(`read ${path}`);
      const handle = await folder.openFile(path);
      close = () => handle.close();
      return { path, content: handle.createReadStream({ autoClose: false }) };
    });
    return { result: JSON.stringify(result) };
  } finally {
    await close();
  }
}

async function writeTool(args: JsonValue, folder: Folder, { note, begin }: Execution): Promise<Outcome> {
  const { path: given, content, append } = readWriting(args);
  const path = folder.absolute(given);
  note(`${append ? "add to" : "write"} ${path}`);
  begin();
  const size = append ? await folder.append(path, content) : await folder.replace(path, [content]);
  return { result: JSON.stringify({ path, size }) };
}

async function listTool(args: JsonValue, folder: Folder, { note }: Execution): Promise<Outcome> {
  const { path: given, recursive } = readListing(args, folder.path);
  const path = folder.absolute(given);
  note(`list ${path}`);
  const found = await folder.list(path, recursive, maxListed + 1);
  return { result: JSON.stringify(listResult(path, found, maxListed)) };
}
