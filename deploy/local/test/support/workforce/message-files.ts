import { createIds, Secret, systemClock } from "@muster/service";
import { createFiles, pathOfFile } from "@muster/storage/files";
import { type TestScope, temporaryDirectory } from "@muster/testing";

const newId = createIds();
const key = "cd".repeat(32);
const projectId = "default";

/** The settings of the storage in which workforce services find the files of messages. */
export function messageFiles(directory: string) {
  return { directory, keys: [new Secret(key)], keepDays: 0 };
}

/** A storage with files of messages. */
export async function startMessageFiles(t: TestScope) {
  const directory = await temporaryDirectory(t);
  const settings = messageFiles(directory);
  const files = createFiles(settings, systemClock);
  /** The reference to an uploaded file, or to one that was only announced. */
  const upload = async (ownerId: string, filename: string, content: string | null) => {
    const size = content?.length ?? 1;
    const record = { ...{ projectId, ownerId, id: newId("file"), filename, mediaType: "text/plain", size } };
    const bytes = Buffer.from(content ?? "");
    if (content !== null)
      await files.storage.put(
        record,
        (async function* () {
          yield bytes;
        })(),
      );
    const signature = files.addresses.signDownload(record);
    const url = `http://127.0.0.1:8080${pathOfFile({ id: record.id, signature })}`;
    return { id: record.id, mediaType: "text/plain", url, filename };
  };
  return { directory, settings, files, upload };
}
