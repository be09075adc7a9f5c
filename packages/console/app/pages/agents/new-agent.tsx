import type { ModelList } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { muster, refresh, useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { type Template, templates } from "./templates.ts";

const defaultModel = "demo/echo";

/** A new agent, from a definition that runs. The rest is for its editor. */
export function NewAgent() {
  const navigate = useNavigate();
  const mayChange = useCredential().permissions.includes("agents");
  const [template, setTemplate] = useState<Template>(templates[0]);
  const [name, setName] = useState("");
  const [typedSlug, setSlug] = useState<string>();
  const [model, setModel] = useState(defaultModel);
  const slug = typedSlug ?? slugOf(name);
  const create = useMutation({
    mutationFn: () =>
      muster.agents.create({
        settings: { slug, name, format: template.format },
        protocol: template.protocol.replaceAll("MODEL", () => model),
        prompts: [...template.prompts],
      }),
    onSuccess: async ({ agentId }) => {
      await refresh("/api/agents");
      await navigate({ to: "/agents/$agentId/definition", params: { agentId } });
    },
  });
  const crumbs = [{ label: "Agents", to: "/agents" }];
  if (!mayChange)
    return (
      <Page title="New agent" crumbs={crumbs}>
        <p className="text-muted">This page needs a key with the permission agents.</p>
      </Page>
    );
  return (
    <Page title="New agent" crumbs={crumbs}>
      <form
        className="grid max-w-2xl gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Templates chosen={template} onChoose={setTemplate} />
        <TextField
          label="Name"
          required
          maxLength={100}
          value={name}
          hint="The name that users see."
          error={create.error}
          path="settings.name"
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label="Slug"
          required
          maxLength={64}
          value={slug}
          hint="The agent's name in the API: lowercase-with-dashes. It never changes."
          error={create.error}
          path="settings.slug"
          onChange={({ target }) => setSlug(target.value)}
        />
        <ModelField value={model} onChange={setModel} />
        <Failure error={create.error} />
        <div>
          <Button type="submit" look="primary" disabled={create.isPending || name === "" || slug === ""}>
            {create.isPending ? "Creating …" : "Create agent"}
          </Button>
        </div>
      </form>
    </Page>
  );
}

function Templates({ chosen, onChoose }: { chosen: Template; onChoose: (template: Template) => void }) {
  return (
    <fieldset className="grid grid-cols-2 gap-2 max-md:grid-cols-1">
      <legend className="mb-2 text-table font-medium">Begin with</legend>
      {templates.map((template) => (
        <label
          key={template.title}
          className="flex cursor-pointer gap-3 rounded-card border border-line bg-panel p-3 has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="template"
            className="mt-1"
            checked={chosen.title === template.title}
            onChange={() => onChoose(template)}
          />
          <span>
            <span className="block font-medium">{template.title}</span>
            <span className="block text-table text-muted">{template.text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function ModelField({ value, onChange }: { value: string; onChange: (model: string) => void }) {
  const list = useId();
  const { data } = useApi<ModelList>("/api/models");
  return (
    <>
      <TextField
        label="Model"
        required
        list={list}
        value={value}
        hint={`${defaultModel} repeats what it reads, and needs no provider.`}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={list}>
        {data?.models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}

function slugOf(name: string): string {
  const plain = name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-+|-+$/g, "").slice(0, 64);
}
