import type { NameKind } from "../names/names.ts";

/**
 * The values that a reader accepts, as data: the source of JSON Schema for editors and of hover texts. It describes
 * single values; only the compiler checks how values fit together.
 */
export type Shape =
  | {
      readonly kind: "text";
      readonly nonEmpty: boolean;
      readonly maxLength?: number;
      readonly pattern?: string;
    }
  | { readonly kind: "flag" }
  /** Both bounds are included. */
  | { readonly kind: "number"; readonly integer: boolean; readonly min: number; readonly max: number }
  | { readonly kind: "words"; readonly words: readonly string[] }
  /** A name of that kind. `declared`: the definition declares it elsewhere; otherwise it is declared here. */
  | { readonly kind: "name"; readonly of: NameKind; readonly declared: boolean }
  /** A use of a type: `string`, `Order`, `Order[]` and so on. */
  | { readonly kind: "type" }
  /** `provider/model-id`. */
  | { readonly kind: "model" }
  | { readonly kind: "json" }
  | { readonly kind: "null" }
  | { readonly kind: "list"; readonly items: Shape }
  /** Without `keys` any key is allowed; none may start with `reserved`. */
  | { readonly kind: "map"; readonly keys?: NameKind; readonly reserved?: string; readonly values: Shape }
  | { readonly kind: "object"; readonly fields: FieldShapes }
  /** A map whose key `tag` says which fields it has. */
  | { readonly kind: "tagged"; readonly tag: string; readonly variants: Readonly<Record<string, Variant>> }
  | { readonly kind: "anyOf"; readonly shapes: readonly Shape[] };

export type FieldShapes = Readonly<Record<string, FieldShape>>;

/** One key of a map. */
export interface FieldShape {
  readonly shape: Shape;
  /** Its purpose, in a sentence or two. */
  readonly doc: string;
  /** The value of an absent key; undefined for none. Without this field, the key is required. */
  readonly absent?: { readonly value: unknown };
  /** Deprecated but still accepted; the text says what to write instead. */
  readonly deprecated?: string;
}

export interface Variant {
  readonly doc: string;
  /** Without the tag itself. */
  readonly fields: FieldShapes;
}
