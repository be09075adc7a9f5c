import { Field, TextField } from "../../../parts/field.tsx";
import type { Definition, Located } from "./definition-files.ts";

interface Props {
  text: Definition;
  issues: readonly Located[];
  onChange: ((text: Definition) => void) | undefined;
}

/** The settings of an agent. Its slug never changes. */
export function SettingsForm({ text, issues, onChange }: Props) {
  const { settings } = text;
  const isReadOnly = onChange === undefined;
  const change = (changed: Partial<Definition["settings"]>) =>
    onChange?.({ ...text, settings: { ...settings, ...changed } });
  const problem = (name: string) => {
    const found = issues.find(({ path }) => path === `settings.${name}`);
    return found && <span className="text-bad">{found.message}</span>;
  };
  return (
    <div className="grid max-w-xl gap-4 p-4">
      <TextField
        label="Slug"
        value={settings.slug}
        readOnly
        hint="The agent's name in the API. It never changes."
      />
      <TextField
        label="Name"
        value={settings.name}
        readOnly={isReadOnly}
        hint={problem("name") ?? "The name that users see."}
        onChange={({ target }) => change({ name: target.value })}
      />
      <Field label="Description" hint={problem("description") ?? "What the agent does."}>
        {(controls) => (
          <textarea
            {...controls}
            rows={3}
            readOnly={isReadOnly}
            value={settings.description ?? ""}
            onChange={({ target }) => change({ description: target.value })}
          />
        )}
      </Field>
      <Field label="Format" hint={problem("format")}>
        {(controls) => (
          <select
            {...controls}
            disabled={isReadOnly}
            value={settings.format}
            onChange={({ target }) =>
              change({ format: target.value === "worker" ? "worker" : "interactive" })
            }
          >
            <option value="interactive">interactive: conversations</option>
            <option value="worker">worker: one task that returns a value</option>
          </select>
        )}
      </Field>
    </div>
  );
}
