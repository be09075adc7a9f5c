import type { ModelCall, PromptFile } from "@muster/engine";
import { nextTurn } from "@muster/large-data";
import type { FailedProvider, FileSupport } from "@muster/models";
import { type FileSources, nameOfFile } from "@muster/storage/files";
import { ImageProblem, type ImageScaler } from "@muster/storage/images";
import {
  assertType,
  byUrl,
  type Delivered,
  deliveredAs,
  kindOf,
  obstacleTo,
  withContents,
} from "./deliver.ts";
import { type FileBudget, NoRoomError, type Room } from "./file-budget.ts";
import {
  maxCallBytes,
  maxEarlierFetches,
  noRoom,
  noteFor,
  sentence,
  tooMany,
  tooMuch,
  unreadable,
} from "./file-obstacles.ts";
import {
  type FileContent,
  type FileOwner,
  isForeign,
  readContent,
  sizeOf,
  UnreadableFile,
} from "./read-content.ts";

/**
 * The memory that a call needs for each byte of its files while its request is sent: base64 in the prompt (4/3), in the
 * text of the request (8/3, because one letter beyond Latin-1 makes all of its characters two bytes) and in the bytes
 * that are sent (4/3), and some more in packages. Measured are 2.9 to 5.7, by the provider's format; for a moment, also
 * 9.2.
 */
const heldPerByte = 6;

/** The limit of the fetched and the scaled files that a turn keeps for its next steps. */
const maxKeptBytes = 10_000_000;

export interface FileDelivery {
  sources: FileSources;
  budget: FileBudget;
  images: ImageScaler;
}

/** A call whose prompt contains its files, which take room until they are freed. */
export interface DeliveredCall {
  call: ModelCall;
  free(): void;
}

/** Who is called. */
export interface Target {
  support: FileSupport;
  provider: FailedProvider;
}

/** How a file is read. */
interface Reading {
  support: FileSupport;
  maxImageDimension: number | undefined;
  /** The limit for a file whose size is unknown. */
  maxBytes: number;
}

type Outcome = { ok: true; delivered: Delivered; bytes: number } | { ok: false; reason: UnreadableFile };

/** Puts the content of files into the model calls of one turn. */
export class CallFiles {
  readonly #delivery: FileDelivery;
  readonly #owner: FileOwner;
  /** Fetched or scaled in this turn. */
  readonly #kept = new Map<string, { content: FileContent; room: Room }>();
  /** Files at other addresses that could not be fetched in this turn: each attempt may take a minute. */
  readonly #failed = new Map<string, UnreadableFile>();
  #keptBytes = 0;

  constructor(delivery: FileDelivery, owner: FileOwner) {
    this.#delivery = delivery;
    this.#owner = owner;
  }

  /** Why the model cannot be called with these files, in a sentence, as far as their types show. */
  problemOf({ files = [] }: ModelCall, support: FileSupport): string | undefined {
    const required = files.filter(({ isRequired }) => isRequired);
    return required.map((file) => this.#obstacle(file, support)).find((problem) => problem !== undefined);
  }

  /**
   * Throws a `ModelFailure` if a file cannot be sent that a user has sent in this turn. The model reads a note instead
   * of any other such file: otherwise the conversation could not continue.
   */
  async deliver(call: ModelCall, target: Target, signal: AbortSignal): Promise<DeliveredCall> {
    const { files = [], maxImageDimension } = call;
    if (files.length === 0) return { call, free: () => undefined };
    const sizes = await this.#sizesOf(files, target.support);
    let needed = 0;
    for (const size of sizes.values()) needed += size ?? this.#delivery.sources.rules.maxBytes;
    const bytes = Math.ceil(Math.min(needed, maxCallBytes) * heldPerByte);
    const room = await this.#delivery.budget
      .take(this.#owner.projectId, bytes, signal)
      .catch((error: unknown) => {
        throw error instanceof NoRoomError ? noRoom(error, target.provider) : error;
      });
    try {
      const found = await this.#readAll(sizes, { ...target, maxImageDimension }, signal);
      const delivered = files.map((file) => found.get(file) ?? noteFor(new UnreadableFile(tooMuch(file))));
      const prompt = withContents(call.options.prompt, delivered, target.support);
      return { call: { ...call, options: { ...call.options, prompt } }, free: room.free };
    } catch (error) {
      room.free();
      throw error;
    }
  }

  /** Frees what the turn has kept. */
  end(): void {
    for (const { room } of this.#kept.values()) room.free();
    this.#kept.clear();
    this.#failed.clear();
  }

  /** Those of this turn first, then the newest. Undefined for a file that has to be fetched to know. */
  async #sizesOf(
    files: readonly PromptFile[],
    support: FileSupport,
  ): Promise<Map<PromptFile, number | undefined>> {
    const sizes = new Map<PromptFile, number | undefined>();
    const earlier = files.filter(({ isRequired }) => !isRequired);
    for (const file of [...files.filter(({ isRequired }) => isRequired), ...earlier.toReversed()]) {
      sizes.set(file, await this.#sizeOf(file, support));
    }
    return sizes;
  }

  async #sizeOf(file: PromptFile, support: FileSupport): Promise<number | undefined> {
    if (this.#obstacle(file, support) !== undefined || this.#isByUrl(file, support)) return 0;
    if (isForeign(this.#delivery.sources, file)) return undefined;
    try {
      return await sizeOf(this.#delivery.sources, this.#owner, file);
    } catch (error) {
      if (error instanceof UnreadableFile) return 0;
      throw error;
    }
  }

  /** Reads the files in their order, while there is room for them. Fetched files take the memory that they need. */
  async #readAll(
    sizes: ReadonlyMap<PromptFile, number | undefined>,
    { support, provider, maxImageDimension }: Target & Pick<Reading, "maxImageDimension">,
    signal: AbortSignal,
  ): Promise<Map<PromptFile, Delivered>> {
    const found = new Map<PromptFile, Delivered>();
    let left = maxCallBytes;
    let fetches = 0;
    for (const [file, size] of sizes) {
      if (size === undefined && !file.isRequired) fetches += 1;
      const isOneTooMany = size === undefined && !file.isRequired && fetches > maxEarlierFetches;
      const mayRead = !isOneTooMany && (size === undefined ? left > 0 : size <= left);
      const outcome: Outcome = mayRead
        ? await this.#read(file, { support, maxImageDimension, maxBytes: left }, signal)
        : { ok: false, reason: new UnreadableFile(isOneTooMany ? tooMany(file) : tooMuch(file)) };
      if (!outcome.ok && file.isRequired) throw unreadable(outcome.reason, provider);
      found.set(file, outcome.ok ? outcome.delivered : noteFor(outcome.reason));
      left -= size ?? (outcome.ok ? outcome.bytes : 0);
      await nextTurn();
    }
    return found;
  }

  async #read(
    file: PromptFile,
    { support, maxImageDimension, maxBytes }: Reading,
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      const obstacle = this.#obstacle(file, support);
      if (obstacle !== undefined) throw new UnreadableFile(obstacle);
      if (this.#isByUrl(file, support)) return { ok: true, delivered: byUrl(file), bytes: 0 };
      const content = await this.#contentOf(file, { maxImageDimension, maxBytes }, signal);
      const bytes = content.bytes.length;
      if (bytes > maxBytes) throw new UnreadableFile(tooMuch(file));
      const unread = obstacleTo(support, content.mediaType, false);
      if (unread !== undefined) throw new UnreadableFile(sentence(file, unread));
      return { ok: true, delivered: deliveredAs(file, content), bytes };
    } catch (error) {
      if (error instanceof UnreadableFile) return { ok: false, reason: error };
      throw error;
    }
  }

  async #contentOf(
    file: PromptFile,
    { maxImageDimension, maxBytes }: Omit<Reading, "support">,
    signal: AbortSignal,
  ): Promise<FileContent> {
    // The name that a message gives a file decides how it is read.
    const key = JSON.stringify([maxImageDimension, file.url, file.mediaType, file.filename]);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept.content;
    const failed = this.#failed.get(key);
    if (failed !== undefined) throw failed;
    const { sources } = this.#delivery;
    const isFetched = isForeign(sources, file);
    try {
      const read = await readContent(sources, this.#owner, file, maxBytes, signal);
      assertType(file, read);
      const content = await this.#scaled(file, read, maxImageDimension, signal);
      if (content !== read || isFetched) await this.#keep(key, content);
      return content;
    } catch (error) {
      // With more room for it, a later call may succeed.
      const isFinal = maxBytes >= Math.min(sources.rules.maxBytes, maxCallBytes);
      if (isFetched && isFinal && error instanceof UnreadableFile) this.#failed.set(key, error);
      throw error;
    }
  }

  async #keep(key: string, content: FileContent): Promise<void> {
    const { length } = content.bytes;
    if (this.#keptBytes + length > maxKeptBytes) return;
    this.#keptBytes += length;
    const room = await this.#delivery.budget.tryTake(this.#owner.projectId, length);
    if (room === undefined) this.#keptBytes -= length;
    else this.#kept.set(key, { content, room });
  }

  /** The content itself, unless it is an image that is too large. */
  async #scaled(
    file: PromptFile,
    content: FileContent,
    maxDimension: number | undefined,
    signal: AbortSignal,
  ): Promise<FileContent> {
    const { bytes, mediaType } = content;
    if (maxDimension === undefined || kindOf(mediaType) !== "image") return content;
    try {
      const request = { bytes: new Uint8Array(bytes), mediaType, maxDimension };
      const picture = await this.#delivery.images.scale(request, this.#owner.projectId, signal);
      return picture.bytes === request.bytes
        ? content
        : { ...content, ...picture, bytes: Buffer.from(picture.bytes.buffer) };
    } catch (error) {
      if (!(error instanceof ImageProblem)) throw error;
      throw new UnreadableFile(`The image ${nameOfFile(file)} ${error.message}.`, false, { cause: error });
    }
  }

  #obstacle(file: PromptFile, support: FileSupport): string | undefined {
    const obstacle = obstacleTo(support, file.mediaType, isForeign(this.#delivery.sources, file));
    return obstacle === undefined ? undefined : sentence(file, obstacle);
  }

  /** The provider fetches it. */
  #isByUrl(file: PromptFile, support: FileSupport): boolean {
    return (
      kindOf(file.mediaType) === "pdf" && support.pdf === "url" && isForeign(this.#delivery.sources, file)
    );
  }
}
