import type { SessionsContext } from "../../context.ts";
import { fileOwnerOf, type SessionDocument } from "../../store/session-document.ts";
import type { Histories } from "../history/histories.ts";
import type { SessionReader } from "./session-reader.ts";
import type { ShowRequest } from "./show-session.ts";

/** In characters: a piece must fit into a message between services. */
const pieceLength = 256 * 1024;

export interface Wanted extends Pick<ShowRequest, "view" | "links"> {
  /** A dead holder left its turn unfinished. */
  isLeft: boolean;
}

/** With which the URLs of a session's files are renewed. None without keys, or without an address to begin them with. */
export function linksOf(
  { linkKeys: keys, clock }: Pick<SessionsContext, "linkKeys" | "clock">,
  session: SessionDocument,
  baseUrl: string,
): Pick<Wanted, "links"> {
  if (keys === undefined || baseUrl === "") return {};
  return { links: { keys, nowMs: clock.now(), ...fileOwnerOf(session), baseUrl } };
}

interface Sources {
  histories: Pick<Histories, "partsOf" | "partsBefore">;
  reader: Pick<SessionReader, "show">;
}

/**
 * All messages of a session, or those before a position, as users see them: JSON separated by commas, in pieces that may end anywhere. Reads chunk by
 * chunk, so it needs memory for one chunk, or one message.
 */
export async function* readAllMessages(
  { histories, reader }: Sources,
  session: SessionDocument,
  { view, links, isLeft }: Wanted,
  before?: number,
): AsyncGenerator<string, void, undefined> {
  let texts: string[] = [];
  let lastId: string | undefined;
  let hasShown = false;
  for await (const { text, shownIds, isLast } of histories.partsOf(session, before)) {
    // Users see nothing of it.
    if (!isLast && shownIds?.length === 0) continue;
    texts.push(text);
    // A message that is stored as very many pieces must not be read again with each of them.
    if (!isLast && shownIds?.every((id) => id === lastId)) continue;
    const request = { texts, view, links, isLeft: isLast && isLeft, isContinued: !isLast };
    const { json, rest } = await reader.show(request);
    texts = rest === "" ? [] : [rest];
    lastId = shownIds?.at(-1);
    if (json !== "") yield* piecesOf(hasShown ? `,${json}` : json);
    hasShown ||= json !== "";
  }
}

/** The newest messages, up to a limit, of all or of those before a position. Reads no further back than needed. */
export async function* readPage(
  { histories, reader }: Sources,
  session: SessionDocument,
  { view, links, isLeft, limit, before }: Wanted & { limit: number; before: number | undefined },
): AsyncGenerator<string, void, undefined> {
  const texts: string[] = [];
  const seen = new Set<string>();
  let found = { json: "", count: 0 };
  const isWhole = isLeft && before === undefined;
  let length = 0;
  let nextLength = 0;
  for await (const { text, shownIds, isLast } of histories.partsBefore(session, before)) {
    if (!isLast && shownIds?.length === 0) continue;
    texts.unshift(text);
    length += text.length;
    for (const id of shownIds ?? []) seen.add(id);
    // One more than wanted: the oldest one may begin further back.
    const isEnough = shownIds === undefined || seen.size > limit;
    if (!isLast && (!isEnough || length < nextLength)) continue;
    found = await reader.show({ texts, view, links, isLeft: isWhole, limit });
    if (found.count > limit) break;
    // Messages of which nothing is shown can be many: everything must not be read again with each chunk.
    nextLength = 2 * length;
  }
  yield* piecesOf(found.json);
}

/** Each fits into a message between services. */
export function* piecesOf(text: string): Generator<string, void, undefined> {
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start + pieceLength);
    yield text.slice(start, end);
    start = end;
  }
}

/** A pair of surrogates must not be cut in two. */
function endOfPiece(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
