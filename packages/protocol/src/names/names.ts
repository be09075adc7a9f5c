import { forbiddenKeys } from "../values/json.ts";

/** How things are named. `example` completes the sentence "… must look like". */
interface NameRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
  readonly example: string;
}

const dashed = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const nameRules = {
  slug: { pattern: dashed, maxLength: 64, example: "support-chat" },
  tool: { pattern: dashed, maxLength: 64, example: "get-user-account" },
  worker: { pattern: dashed, maxLength: 64, example: "research-topic" },
  namespace: { pattern: dashed, maxLength: 64, example: "issue-tracker" },
  skill: { pattern: dashed, maxLength: 64, example: "make-charts" },
  capability: { pattern: dashed, maxLength: 64, example: "send-mail" },
  trigger: { pattern: dashed, maxLength: 64, example: "user-message" },
  thread: { pattern: dashed, maxLength: 64, example: "summary" },
  prompt: {
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)*$/,
    maxLength: 200,
    example: "system or flows/refund",
  },
  reference: {
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*)*$/,
    maxLength: 200,
    example: "return-policy",
  },
  variable: { pattern: /^[A-Z][A-Z0-9_]*$/, maxLength: 64, example: "USER_MESSAGE" },
  type: { pattern: /^[A-Z][A-Za-z0-9]*$/, maxLength: 64, example: "OrderLine" },
  // Looser than a property: arguments go to the caller's own tools, whose spelling is theirs.
  parameter: { pattern: /^[A-Za-z][A-Za-z0-9_]*$/, maxLength: 64, example: "orderId" },
  property: { pattern: /^[a-z][A-Za-z0-9]*$/, maxLength: 64, example: "orderId" },
  // No control characters: the name is shown to users and written to logs.
  block: { pattern: /^\P{Cc}+$/u, maxLength: 100, example: "Answer the user" },
} as const satisfies Record<string, NameRule>;

export type NameKind = keyof typeof nameRules;

export function isName(kind: NameKind, text: string): boolean {
  const { pattern, maxLength } = nameRules[kind];
  return text.length <= maxLength && pattern.test(text) && !forbiddenKeys.has(text);
}

/** What a name of that kind must be, to complete "… must be". */
export function nameHint(kind: NameKind): string {
  const { maxLength, example } = nameRules[kind];
  return `at most ${maxLength} characters and look like ${example}`;
}
