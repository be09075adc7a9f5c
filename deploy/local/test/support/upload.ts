import assert from "node:assert/strict";
import { record, type TestClient, untilServed } from "@muster/testing";

export interface UploadedFile {
  id: string;
  mediaType: string;
  url: string;
  filename: string;
  size: number;
}

/** One of each kind that models read: an image, a PDF document and a text. */
export const sampleFiles = [
  {
    filename: "stamp.png",
    mediaType: "image/png",
    content: Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
  },
  {
    filename: "lease.pdf",
    mediaType: "application/pdf",
    content: Buffer.from("%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"),
  },
  { filename: "hours.txt", mediaType: "text/plain", content: Buffer.from("The café opens at nine.\n") },
] as const;

/** Uploads files for a session, as clients do, and returns the references to them. */
export async function uploadFiles(
  client: TestClient,
  sessionId: string,
  given: ReadonlyArray<{ filename: string; mediaType: string; content: Uint8Array<ArrayBuffer> }>,
): Promise<UploadedFile[]> {
  const files = given.map(({ filename, mediaType, content }) => ({
    filename,
    mediaType,
    size: content.length,
  }));
  const issued = await client.json(200, "POST", "/api/files/upload-urls", { sessionId, files });
  assert.ok(Array.isArray(issued.files));
  const urls = issued.files.map(record);
  return Promise.all(
    files.map(async (file, index) => {
      const { id, uploadUrl, downloadUrl } = urls[index] ?? {};
      const options = {
        method: "PUT",
        headers: { "content-type": file.mediaType },
        ...{ body: given[index]?.content ?? null },
      };
      assert.equal((await untilServed(() => fetch(String(uploadUrl), options))).status, 204);
      return { id: String(id), url: String(downloadUrl), ...file };
    }),
  );
}

/** How demo/echo names a file that it was sent. */
export function namedByEcho({ filename, mediaType, size }: Omit<UploadedFile, "id" | "url">): string {
  return `[file ${filename}, ${mediaType}, ${size} bytes]`;
}
