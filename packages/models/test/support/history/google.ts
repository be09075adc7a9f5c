import { z } from "zod";
import { duplicatesIn, readBody } from "./rules.ts";

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/);
const object = z.record(z.string(), z.unknown());
const partSchema = z
  .object({
    text: z.string().optional(),
    functionCall: z.object({ id: z.string().optional(), name, args: object }).optional(),
    functionResponse: z.object({ id: z.string().optional(), name, response: object }).optional(),
    inlineData: object.optional(),
    fileData: object.optional(),
    thoughtSignature: z.string().min(1).optional(),
  })
  .refine(
    ({ thoughtSignature, text, ...data }) => dataOf(text, thoughtSignature) + Object.keys(data).length === 1,
    "A part contains exactly one kind of data",
  );
type Part = z.infer<typeof partSchema>;

const bodySchema = z.object({
  contents: z.array(z.object({ role: z.enum(["user", "model"]), parts: z.array(partSchema).min(1) })).min(1),
  systemInstruction: z.object({ parts: z.array(z.object({ text: z.string().min(1) })).min(1) }).optional(),
});
type Content = z.infer<typeof bodySchema>["contents"][number];

function dataOf(text: string | undefined, signature: string | undefined): number {
  return text === undefined || (text === "" && signature === undefined) ? 0 : 1;
}

/** The rules of Google's generateContent. `path`: names the model. */
export function googleProblems(body: unknown, path: string): string[] {
  return readBody(bodySchema, body, ({ contents }) => [
    ...(contents[0]?.role === "user" ? [] : ["The first content is not the user's"]),
    ...(contents.at(-1)?.role === "user" ? [] : ["The last content is not the user's"]),
    ...contents.flatMap((content, index) => contentProblems(contents, content, index)),
    ...duplicatesIn(
      contents.flatMap(({ parts }) => callsOf(parts).flatMap(({ id = [] }) => id)),
      "functionCall id",
    ),
    ...(/models\/gemini-[3-9]/.test(path) ? signatureProblems(contents) : []),
  ]);
}

function contentProblems(contents: readonly Content[], { role, parts }: Content, index: number): string[] {
  const at = `contents.${index}`;
  const [before, after] = [contents[index - 1], contents[index + 1]];
  const hasCalls = callsOf(parts).length > 0;
  const hasResults = resultsOf(parts).length > 0;
  const wrongRole = (hasCalls && role !== "model") || (hasResults && role !== "user");
  return [
    ...(wrongRole ? [`${at}: a function call or response in a content of role ${role}`] : []),
    ...(role === "model" && before?.role === "model" ? [`${at}: two contents of the model in a row`] : []),
    ...(hasCalls ? pairProblems(at, parts, after) : []),
    ...(hasResults && callsOf(before?.parts ?? []).length === 0
      ? [`${at}: function responses without function calls before them`]
      : []),
  ];
}

/** The next content has as many responses as there were calls, in their order, and nothing else. */
function pairProblems(at: string, parts: readonly Part[], after: Content | undefined): string[] {
  const [calls, results] = [callsOf(parts), resultsOf(after?.parts ?? [])];
  if (calls.length !== results.length)
    return [`${at}: ${calls.length} function calls, then ${results.length} function responses`];
  if (after?.parts.length !== results.length) return [`${at}: other parts among the function responses`];
  return calls.flatMap(({ name, id }, index) => {
    const result = results[index];
    return result?.name === name && result.id === id
      ? []
      : [`${at}: the response of ${name} is in another place`];
  });
}

/** Gemini 3 wants the signature of each step's first call since the user last said something. */
function signatureProblems(contents: readonly Content[]): string[] {
  const begin = contents.findLastIndex(({ role, parts }) => role === "user" && resultsOf(parts).length === 0);
  return contents.slice(begin + 1).flatMap(({ parts }, offset) => {
    const first = parts.find(({ functionCall }) => functionCall !== undefined);
    if (first === undefined || first.thoughtSignature !== undefined) return [];
    return [`contents.${begin + 1 + offset}: the function call has no thoughtSignature`];
  });
}

function callsOf(parts: readonly Part[]) {
  return parts.flatMap(({ functionCall = [] }) => functionCall);
}

function resultsOf(parts: readonly Part[]) {
  return parts.flatMap(({ functionResponse = [] }) => functionResponse);
}
