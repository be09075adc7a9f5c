import { checkInput, type InputOptions, type JsonValue, type Program } from "@muster/language";
import { Reason } from "@muster/proto/errors";
import { firstProblems, rpcError } from "@muster/rpc";

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
