import type { Readable } from "node:stream";
import { GrowingBuffer } from "@muster/large-data/growing-buffer";
import { badResponse } from "./body.ts";

/** A response whose limits still apply while its body is read. Read the body or destroy it. */
export class GuardedResponse {
  /** Its origin, after redirects. */
  readonly url: URL;
  readonly status: number;
  /** Without Content-Encoding and Content-Length if the body was decoded. */
  readonly headers: Headers;
  /** Decoded. Fails with FetchProblem, or with the reason of the caller's signal. */
  readonly body: Readable;

  constructor(url: URL, status: number, headers: Headers, body: Readable) {
    this.url = url;
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  /** The whole body, at most `maxBytes`. */
  async bytes(): Promise<Uint8Array> {
    const bytes = new GrowingBuffer();
    for await (const piece of this.body) bytes.add(piece);
    return bytes.take();
  }

  /** Throws FetchProblem for a body that is not UTF-8. */
  async text(): Promise<string> {
    const bytes = await this.bytes();
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
      throw badResponse("The body is not UTF-8.", error);
    }
  }

  /** Throws FetchProblem for a body that is not JSON. */
  async json(): Promise<unknown> {
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch (error) {
      throw badResponse("The body is not JSON.", error);
    }
  }
}
