import type { McpServer } from "@muster/client";
import { Field, TextField } from "../../parts/field.tsx";
import { type At, numberIn, textIn } from "../../parts/form.tsx";

/** Those of the API, which a change can only replace by others. */
const defaults = { timeoutMs: 600_000, idleTimeoutMs: 60_000 };

/** The fields of a new server and of a registered one. */
export function mcpServerFields(at: At, server?: McpServer) {
  return (
    <>
      <TextField label="URL" type="url" inputMode="url" defaultValue={server?.url} {...at("url")} />
      <Field
        label="Tools"
        hint="One name or pattern with * per line. Empty: all of the server's tools."
        {...at("tools")}
      >
        {(controls) => (
          <textarea {...controls} name="tools" rows={2} defaultValue={server?.tools?.join("\n")} />
        )}
      </Field>
      <Field
        label="Headers"
        hint={
          server !== undefined && server.headerNames.length > 0
            ? `Empty: keeps ${server.headerNames.join(", ")}. Their values are never shown.`
            : "One per line, such as X-Region: eu. Their values are never shown again."
        }
        {...at("headers")}
      >
        {(controls) => <textarea {...controls} name="headers" rows={2} />}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Longest call in ms"
          inputMode="numeric"
          placeholder={String(defaults.timeoutMs)}
          defaultValue={server?.timeoutMs ?? ""}
          {...at("timeoutMs")}
        />
        <TextField
          label="Longest time without progress in ms"
          inputMode="numeric"
          placeholder={String(defaults.idleTimeoutMs)}
          defaultValue={server?.idleTimeoutMs ?? ""}
          {...at("idleTimeoutMs")}
        />
      </div>
      <label className="flex items-center gap-2 text-table">
        <input
          type="checkbox"
          name="enabled"
          className="size-4 accent-accent"
          defaultChecked={server?.enabled ?? true}
        />
        Agents may use it
      </label>
    </>
  );
}

/** The values of the fields, without empty ones. */
export function settingsIn(values: FormData): Record<string, unknown> {
  const tools = textIn(values, "tools")?.split(/\s*\n\s*/);
  const headers = textIn(values, "headers");
  return {
    url: textIn(values, "url") ?? "",
    tools: tools ?? null,
    headers: headers === undefined ? undefined : headersIn(headers),
    timeoutMs: numberIn(values, "timeoutMs") ?? defaults.timeoutMs,
    idleTimeoutMs: numberIn(values, "idleTimeoutMs") ?? defaults.idleTimeoutMs,
    enabled: values.get("enabled") !== null,
  };
}

function headersIn(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const [name = "", ...value] = line.split(":");
        return [name.trim(), value.join(":").trim()];
      }),
  );
}
