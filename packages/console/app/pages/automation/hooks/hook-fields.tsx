import { type Hook, MusterError, type UpdateHookRequest } from "@muster/client";
import { Field, TextField } from "../../../parts/field.tsx";
import { type At, textIn } from "../../../parts/form.tsx";

/** The settings of a hook besides its secret. */
export function hookFields(at: At, hook?: Hook) {
  return (
    <>
      <TextField label="Name" autoComplete="off" defaultValue={hook?.name} {...at("name")} />
      <Field
        label="Message"
        hint="A template: {{ISSUE_TITLE}} is issue.title of the body, {{BODY}} all of it."
        {...at("message")}
      >
        {(controls) => (
          <textarea {...controls} name="message" rows={4} defaultValue={hook?.message ?? "{{BODY}}"} />
        )}
      </Field>
      <TextField
        label="Thread key"
        hint="A template. Deliveries with the same text go to one thread. Empty: each has its own."
        autoComplete="off"
        defaultValue={hook?.threadKey ?? ""}
        {...at("threadKey")}
      />
      <Field
        label="Filter"
        hint="JSON Schema of the bodies that reach the agent. Empty: all."
        {...at("filter")}
      >
        {(controls) => (
          <textarea
            {...controls}
            name="filter"
            className={`${controls.className} font-mono`}
            rows={4}
            spellCheck={false}
            defaultValue={hook?.filter ? JSON.stringify(hook.filter, null, 2) : ""}
          />
        )}
      </Field>
    </>
  );
}

/** The settings in a form. Throws if the filter is no JSON. */
export function hookIn(values: FormData) {
  return {
    name: textIn(values, "name") ?? "",
    message: textIn(values, "message") ?? "",
    threadKey: textIn(values, "threadKey") ?? null,
    filter: filterIn(values),
  } satisfies UpdateHookRequest;
}

function filterIn(values: FormData) {
  const text = textIn(values, "filter");
  if (text === undefined) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const issues = [{ path: "filter", message: "must be JSON" }];
    throw new MusterError("INVALID_JSON", "The filter cannot be read.", { issues, cause });
  }
}
