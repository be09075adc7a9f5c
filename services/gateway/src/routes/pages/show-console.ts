import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { shipped } from "@muster/service/shipped";
import { Type } from "@muster/wire/schema";
import type { AddRoute } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { ReferenceData, sendReferenceData } from "../../edge/http/reference-data.ts";
import { pageHeaders } from "../recordings/page/document.ts";

/** Nothing is loaded from elsewhere, and nothing in the page can run that is not one of these files. */
const policy = [
  "default-src 'none'",
  ...["script-src", "style-src", "font-src", "connect-src", "media-src"].map((name) => `${name} 'self'`),
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** The names of files in `assets/` contain a hash of their contents. */
const forEver = "public, max-age=31536000, immutable";

/** The console: its files, and its page at every other address below, which the page itself resolves. */
export const showConsole: AddRoute = (app) => {
  const folder = shipped("../../../../../packages/console/built", import.meta.url);
  let read: Promise<Map<string, ReferenceData>> | undefined;
  const route = {
    config: { produces: ["text/html", "text/css", "text/javascript", "image/svg+xml", "font/woff2"] },
    schema: { hide: true, params: Type.Object({ "*": Type.Optional(Type.String()) }) },
  };
  for (const url of ["/console", "/console/*"])
    app.get(url, route, async (request, reply) => {
      // A start reads nothing.
      read ??= readFiles(fileURLToPath(folder)).catch((error) => {
        read = undefined;
        throw error;
      });
      const files = await read;
      const { "*": name = "" } = request.params;
      const isFile = files.has(name) && name !== "index.html";
      const file = files.get(isFile ? name : "index.html");
      if (file === undefined || (!isFile && name.startsWith("assets/")))
        throw new HttpProblem("NOT_FOUND", "The console has no such file; reload the page.");
      if (!isFile) reply.headers(pageHeaders(policy));
      await sendReferenceData(reply, file, {
        mediaType: mediaTypes[isFile ? extname(name) : ".html"] ?? "application/octet-stream",
        cacheControl: name.startsWith("assets/") ? forEver : "no-cache",
        mayCompress: extname(name) !== ".woff2",
      });
      return reply;
    });
};

async function readFiles(folder: string): Promise<Map<string, ReferenceData>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const path = `${parentPath}/${name}`;
        const key = path.slice(folder.replace(/\/$/, "").length + 1).replaceAll("\\", "/");
        return [key, new ReferenceData(await readFile(path))] as const;
      }),
    ),
  );
}
