import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { otherProtocolFile, protocolFile } from "./layout.ts";
import type { FolderProblem } from "./problems.ts";

/** Returns the path of the protocol: `protocol.yml` if only that file exists, else `protocol.yaml`. Both are a problem. */
export async function findProtocol(root: string, problems: FolderProblem[]): Promise<string> {
  if (!(await exists(join(root, otherProtocolFile)))) return protocolFile;
  if (!(await exists(join(root, protocolFile)))) return otherProtocolFile;
  const message = `Both ${protocolFile} and ${otherProtocolFile} exist. Remove one of them.`;
  problems.push({ path: otherProtocolFile, message });
  return protocolFile;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
