import type { Query } from "../api.ts";
import { Copy } from "./copy.tsx";
import { curlOf, typescriptOf } from "./request-samples.ts";

interface Props {
  path: string;
  query?: Query;
  /** The name of the response for readers of screens. */
  subject: string;
}

/** Copies the request for what is shown, to run it elsewhere. */
export function CopyRequest({ path, query, subject }: Props) {
  return (
    <span className="flex shrink-0 items-center gap-1">
      <Copy text={curlOf(path, query)} label={`${subject} as curl`} word="curl" />
      <Copy text={typescriptOf(path, query)} label={`${subject} as TypeScript`} word="TypeScript" />
    </span>
  );
}
