import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { rows } from "./rows.ts";

/** That of Grafana 11.0, so that 11 reads it too; newer ones migrate it when they load it. */
const schemaVersion = 39;

/** The dashboard that is shipped as `grafana/muster.json`. */
export function buildDashboard(): Dashboard {
  const dashboard = new DashboardBuilder("Muster")
    .uid("muster")
    .description(
      "A Muster cluster: requests, streams, model calls, runs, events, the store and the processes.",
    )
    .tags(["muster"])
    .time({ from: "now-1h", to: "now" })
    .refresh("30s")
    .timezone("browser")
    .tooltip(DashboardCursorSync.Crosshair)
    .readonly()
    .withVariable(new DatasourceVariableBuilder("datasource").label("Data source").type("prometheus"))
    .withVariable(labelVariable("job", "Processes", 'label_values(up{job=~"muster-.+"}, job)', "muster-.+"))
    .withVariable(labelVariable("instance", "Instances", 'label_values(up{job=~"$job"}, instance)', ".+"));
  for (const { title, panels } of rows) {
    dashboard.withRow(new RowBuilder(title));
    for (const panel of panels) dashboard.withPanel(panel);
  }
  const { panels = [], ...rest } = dashboard.build();
  return { ...rest, schemaVersion, panels: panels.map((panel, index) => ({ ...panel, id: index + 1 })) };
}

/** `all`: the meaning of `All`, as a regular expression. */
function labelVariable(name: string, label: string, query: string, all: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource({ type: "prometheus", uid: "$datasource" })
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue(all)
    .current({ selected: true, text: ["All"], value: ["$__all"] });
}
