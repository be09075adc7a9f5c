import { hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import { isNamedBy, sendUnchanged } from "./conditions.ts";
import { acceptedEncoding, type Encoding } from "./headers.ts";

const compress: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

/** A response that is the same for every client until its data changes, ready to send. */
export class ReferenceData {
  readonly body: Buffer;
  /** Strong tags end with the encoding. */
  readonly version: string;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(body: Buffer, version = hash("sha256", body, "base64url")) {
    this.body = body;
    this.version = version.slice(0, 22);
  }

  static ofJson(value: unknown): ReferenceData {
    return new ReferenceData(Buffer.from(JSON.stringify(value)));
  }

  /** Compresses on another thread, the first time. */
  compressed(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding) ?? compress[encoding](this.body);
    this.#compressed.set(encoding, known);
    return known;
  }
}

interface SendOptions {
  mediaType?: string;
  cacheControl?: string;
  /** Default: yes. False for a body that is made for one request. */
  mayCompress?: boolean;
}

/** Sends the bytes without the serialiser, or 304 to a client that already has them. */
export async function sendReferenceData(
  reply: FastifyReply,
  data: ReferenceData,
  options: SendOptions = {},
): Promise<void> {
  const {
    mediaType = "application/json; charset=utf-8",
    cacheControl = "public, max-age=300",
    mayCompress = true,
  } = options;
  const { headers } = reply.request;
  const encoding = mayCompress ? acceptedEncoding(headers["accept-encoding"]) : undefined;
  const etag = `"${data.version}${encoding === undefined ? "" : `-${encoding}`}"`;
  reply.headers({ etag, "cache-control": cacheControl, vary: "Accept-Encoding" });
  if (isNamedBy(headers["if-none-match"], etag)) return sendUnchanged(reply);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  reply.type(mediaType).send(encoding === undefined ? data.body : await data.compressed(encoding));
}
