import { Reason } from "@muster/proto/errors";
import { checkInput, type JsonValue, type Program } from "@muster/protocol";
import { rpcError } from "@muster/rpc";

/** The values with defaults filled in. Throws INVALID_INPUT with every value that does not match its declaration. */
export function checkedInput(
  specs: Program["input"],
  given: Record<string, JsonValue>,
): Record<string, JsonValue> {
  const checked = checkInput(specs, given);
  if (checked.ok) return checked.values;
  const issues = checked.issues.map(({ path, message }) => ({
    path: path === "" ? "input" : `input.${path}`,
    message,
  }));
  const [first] = issues;
  const message =
    first !== undefined && issues.length === 1
      ? first.message
      : "The input does not match the agent's declarations; see issues.";
  throw rpcError(Reason.INVALID_INPUT, message, { issues });
}
