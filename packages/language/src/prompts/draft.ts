import type { Position } from "../diagnostics.ts";
import type { Condition } from "./template.ts";

/** A prompt whose includes are still names. */
export type DraftTemplate = readonly DraftPart[];

export type DraftPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly name: string; readonly raw: string }
  | { readonly kind: "include"; readonly prompt: string; readonly position: Position }
  | { readonly kind: "choice"; readonly branches: readonly DraftBranch[]; readonly otherwise: DraftTemplate };

export interface DraftBranch {
  readonly condition: Condition;
  readonly body: DraftTemplate;
}
