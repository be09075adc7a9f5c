import type { Project, ProjectList } from "@muster/client";
import { muster, refresh, route } from "../../../api.ts";
import { useCredential } from "../../../frame/credential.ts";
import { Id } from "../../../parts/copy.tsx";
import { Edited, ifUnchanged } from "../../../parts/edited.tsx";
import { Field, TextField } from "../../../parts/field.tsx";
import { Form, textIn } from "../../../parts/form.tsx";
import { ItemPanel } from "../../../parts/item-panel.tsx";
import { Facts } from "../../../parts/page.tsx";
import { When } from "../../../parts/when.tsx";
import { limitsIn, projectLimitFields } from "./project-limit-fields.tsx";
import { hostLines, hostsIn, ruleLines, rulesIn } from "./project-rules.ts";

export function ProjectDetails({ id, onClose }: { id: string; onClose: () => void }) {
  // Only such a key may change limits.
  const { anyProject } = useCredential();
  const save = async (project: Project, values: FormData) => {
    const saved = await muster.request<Project>("PATCH", route`/api/admin/projects/${id}`, {
      headers: ifUnchanged(project),
      body: {
        name: textIn(values, "name") ?? "",
        approvals: rulesIn(textIn(values, "approvals") ?? ""),
        toolHosts: hostsIn(textIn(values, "toolHosts") ?? ""),
        ...(anyProject && { limits: limitsIn(values) }),
      },
    });
    await refresh("/api/admin/projects", "/api/admin/audit");
    return saved;
  };
  return (
    <ItemPanel<ProjectList, Project>
      path="/api/admin/projects"
      find={({ projects }) => projects.find((project) => project.id === id)}
      kind="project"
      titleOf={({ name }) => name}
      onClose={onClose}
    >
      {(project) => (
        <>
          <Facts
            rows={[
              ["Id", <Id key="id" id={project.id} />],
              ["Created", <When key="created" at={project.createdAt} />],
            ]}
          />
          <Edited item={project}>
            {(edited, saved) => (
              <Form label="Save" save={(values) => save(edited, values)} onSaved={saved}>
                {(at) => (
                  <>
                    <TextField label="Name" defaultValue={edited.name} {...at("name")} />
                    <Field
                      label="Approval rules"
                      hint="One rule per line: a tool, a namespace or a pattern with *, then ask or deny. Rules make definitions stricter."
                      {...at("approvals")}
                    >
                      {(controls) => (
                        <textarea
                          {...controls}
                          name="approvals"
                          rows={4}
                          placeholder="refund: ask"
                          defaultValue={ruleLines(edited.approvals)}
                        />
                      )}
                    </Field>
                    <Field
                      label="Hosts of HTTP tools"
                      hint="The only hosts that the platform calls, one per line, as in a URL; add untrusted if models must not trust the results."
                      {...at("toolHosts")}
                    >
                      {(controls) => (
                        <textarea
                          {...controls}
                          name="toolHosts"
                          rows={4}
                          placeholder="api.example.com untrusted"
                          defaultValue={hostLines(edited.toolHosts)}
                        />
                      )}
                    </Field>
                    {anyProject && projectLimitFields(at, edited.limits)}
                  </>
                )}
              </Form>
            )}
          </Edited>
        </>
      )}
    </ItemPanel>
  );
}
