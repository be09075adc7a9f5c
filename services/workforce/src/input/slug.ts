import { isName, nameHint } from "@muster/language/names";
import { type Issues, Reason, rpcError } from "@muster/rpc";

const maxDerivedLength = 50;
const suffixLength = 8;

/** A document that users name by its slug. */
export interface Named {
  _id: string;
  /** Unique in its project. Absent if it was created before slugs: see {@link slugOf}. */
  slug?: string;
}

/** The slug of a document; of one that was stored without, its id. */
export function slugOf({ slug, _id }: Named): string {
  return slug ?? _id.replaceAll("_", "-");
}

/** The id of the document if it was stored without a slug. */
export function idOfSlug(slug: string): string {
  return slug.replaceAll("-", "_");
}

export function checkSlug(issues: Issues, slug: string | undefined): void {
  if (slug !== undefined && !isName("slug", slug)) issues.add("slug", `must be ${nameHint("slug")}`);
}

/**
 * Inserts a document under the slug that the request chose, or else under one derived from the name, with the end of its id
 * if that is taken. `insert` returns false if the slug is taken. Throws SLUG_TAKEN. `kind` completes "Another …".
 */
export async function insertNamed<Document extends Named>(
  document: Document,
  { slug, name, kind }: { slug: string | undefined; name: string; kind: string },
  insert: (document: Document) => Promise<boolean>,
): Promise<Document> {
  for (const each of slug === undefined ? derivedSlugs(document, name) : [slug]) {
    const named = { ...document, slug: each };
    if (await insert(named)) return named;
  }
  const message = `Another ${kind} already has the slug ${slug ?? slugOf(document)}. Choose another slug.`;
  throw rpcError(Reason.SLUG_TAKEN, message);
}

function derivedSlugs(document: Named, name: string): string[] {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words.join("-").slice(0, maxDerivedLength).replace(/-$/, "");
  if (!isName("slug", slug)) return [slugOf(document)];
  return [slug, `${slug}-${document._id.slice(-suffixLength)}`];
}
