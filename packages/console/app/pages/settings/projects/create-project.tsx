import type { Project } from "@muster/client";
import { muster, refresh } from "../../../api.ts";
import { TextField } from "../../../parts/field.tsx";
import { Form, textIn } from "../../../parts/form.tsx";
import { Panel } from "../../../parts/split.tsx";
import { limitsIn, projectLimitFields } from "./project-limit-fields.tsx";

interface Props {
  onClose: () => void;
  onCreated: (project: Project) => void;
}

export function CreateProject({ onClose, onCreated }: Props) {
  const save = async (values: FormData) => {
    const project = await muster.request<Project>("POST", "/api/admin/projects", {
      body: { name: textIn(values, "name") ?? "", limits: limitsIn(values) },
    });
    await refresh("/api/admin/projects", "/api/admin/audit");
    return project;
  };
  return (
    <Panel title="New project" onClose={onClose}>
      <Form label="Create the project" save={save} onSaved={onCreated}>
        {(at) => (
          <>
            <TextField label="Name" autoComplete="off" {...at("name")} />
            {projectLimitFields(at)}
          </>
        )}
      </Form>
    </Panel>
  );
}
