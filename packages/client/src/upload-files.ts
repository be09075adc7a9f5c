import { connectionLost, errorOf, MusterError } from "./errors.ts";
import type { Http } from "./http.ts";
import { sendWithProgress } from "./send-with-progress.ts";
import type { FileReference, UploadUrlsReply } from "./wire-types.ts";

/** A file of a form, or content with a name and a type. */
export type FileToUpload =
  | File
  | { filename: string; mediaType: string; data: Blob | ArrayBuffer | Uint8Array<ArrayBuffer> };

export interface UploadOptions {
  /** Called while the content of all files together is sent: in browsers for each piece, elsewhere for each file. */
  onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Uploads files, in parallel. `path` issues their URLs for a body with `more`. In the order of the files. */
export async function uploadFiles(
  http: Http,
  path: string,
  more: object,
  files: readonly FileToUpload[],
  { onProgress, signal }: UploadOptions,
): Promise<FileReference[]> {
  if (files.length === 0) return [];
  const contents = files.map(contentOf);
  const announced = contents.map(({ filename, mediaType, data: { size } }) => ({
    filename,
    mediaType,
    size,
  }));
  const body = { ...more, files: announced };
  const issued = await http.json<UploadUrlsReply>("POST", path, { body, signal, isRepeatable: true });
  const sent = contents.map(() => 0);
  const total = announced.reduce((sum, { size }) => sum + size, 0);
  return Promise.all(
    issued.files.map(async ({ id, uploadUrl, downloadUrl }, index) => {
      const { filename = "", mediaType = "", data = new Blob([]) } = contents[index] ?? {};
      const report = (bytes: number) => {
        sent[index] = bytes;
        onProgress?.(
          sent.reduce((sum, each) => sum + each, 0),
          total,
        );
      };
      await put(http, { uploadUrl, downloadUrl }, { data, mediaType, signal, onSent: onProgress && report });
      report(data.size);
      return { id, url: downloadUrl, filename, mediaType, size: data.size };
    }),
  );
}

function contentOf(file: FileToUpload): { filename: string; mediaType: string; data: Blob } {
  if (file instanceof Blob) return { filename: file.name, mediaType: file.type || "text/plain", data: file };
  const { filename, mediaType, data } = file;
  return { filename, mediaType, data: data instanceof Blob ? data : new Blob([data]) };
}

interface Content {
  data: Blob;
  mediaType: string;
  onSent: ((bytes: number) => void) | undefined;
  signal: AbortSignal | undefined;
}

/** An upload is lost if it sends nothing for so long, or less than 16 bytes in each millisecond where it does not report. */
const stallMs = 60_000;
const bytesPerMs = 16;

/** The URL is the credential. It works for one upload, so that it is used up if the response to one was lost. */
async function put(
  http: Http,
  { uploadUrl, downloadUrl }: { uploadUrl: string; downloadUrl: string },
  { data, mediaType, onSent, signal }: Content,
): Promise<void> {
  const patience = http.patience(signal);
  const { origin } = new URL(uploadUrl);
  for (let isUnclear = false; ; ) {
    const stalled = new AbortController();
    const stop = () => stalled.abort(new Error("the upload makes no progress"));
    let timer = setTimeout(stop, stallMs + data.size / bytesPerMs);
    const progress = (bytes: number) => {
      clearTimeout(timer);
      timer = setTimeout(stop, stallMs);
      onSent?.(bytes);
    };
    const attempt = signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]);
    const lost = (cause: unknown) => Promise.reject(connectionLost(origin, cause));
    try {
      const headers = { "content-type": mediaType };
      const request = { method: "PUT", headers, body: data, signal: attempt };
      const sending = onSent && sendWithProgress(uploadUrl, request, progress);
      const response = await (sending ?? http.fetch(uploadUrl, request)).catch(lost);
      if (response.ok) return;
      const isStored = () => http.fetch(downloadUrl, { method: "HEAD", signal: attempt }).catch(lost);
      // The URL is used up, or has expired.
      if (isUnclear && response.status === 403 && (await isStored()).ok) return;
      throw await errorOf(response, origin);
    } catch (error) {
      isUnclear ||= error instanceof MusterError && error.code === "CONNECTION_LOST";
      await patience.failed(error);
    } finally {
      clearTimeout(timer);
    }
  }
}
