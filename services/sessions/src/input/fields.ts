import {
  checkInput,
  findJsonProblem,
  type InputOptions,
  isJsonObject,
  isJsonValue,
  type JsonResult,
  type JsonValue,
  type Program,
  parseJson,
} from "@muster/language";
import { isLarge, nextTurn, parseInSlices, turnIfSpent } from "@muster/large-data";
import { Reason } from "@muster/proto/errors";
import { firstProblems, type Issues, rpcError } from "@muster/rpc";
import { keepText } from "../store/state-text.ts";

/** Ids in restored messages have the same limit. */
const maxIdLength = 200;

export function checkId(issues: Issues, path: string, id: string): void {
  issues.checkLength(path, id, { min: 1, max: maxIdLength });
}

/** Empty text means {}. */
export async function readObject(
  issues: Issues,
  path: string,
  text: string,
): Promise<Record<string, JsonValue>> {
  if (text === "") return {};
  const parsed = await readJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  issues.add(path, parsed.ok ? "must be a JSON object" : parsed.problem);
  return {};
}

/**
 * Parses untrusted text like `parseJson`, in a tick that has time for it; large text in slices, so that it does not
 * block the main loop.
 */
export async function readJson(text: string): Promise<JsonResult<JsonValue>> {
  if (!isLarge(text)) {
    // Shorter text may take tens of milliseconds as well, and many may arrive in one moment.
    await turnIfSpent();
    return parseJson(text);
  }
  try {
    const value = await parseInSlices(text);
    await nextTurn();
    if (!isJsonValue(value)) return { ok: false, problem: findJsonProblem(value) ?? "must be JSON" };
    keepText(value, text);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: "must be valid JSON" };
    throw error;
  }
}

/**
 * The values with defaults filled in. Throws INVALID_INPUT with every value that does not match its declaration.
 * `within`: precedes the paths of the issues.
 */
export function checkedInput(
  specs: Program["input"],
  given: Record<string, JsonValue>,
  { within = "", ...options }: InputOptions & { within?: string | undefined } = {},
): Record<string, JsonValue> {
  const checked = checkInput(specs, given, options);
  if (checked.ok) return checked.values;
  const issues = checked.issues.map(({ path, message }) => ({
    path: path === "" ? `${within}input` : `${within}input.${path}`,
    message,
  }));
  const problems = firstProblems(issues.map(({ message }) => message));
  throw rpcError(Reason.INVALID_INPUT, problems, { issues });
}
