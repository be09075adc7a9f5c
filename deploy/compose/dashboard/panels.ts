import {
  BigValueColorMode,
  GraphDrawStyle,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from "@grafana/grafana-foundation-sdk/common";
import type { DataSourceRef } from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as TimeseriesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";

const datasource: DataSourceRef = { type: "prometheus", uid: "$datasource" };

export interface PanelOptions {
  title: string;
  /** The meaning of the numbers and when to worry, for the panel's tooltip. */
  description: string;
  /** Grafana's name of the unit. */
  unit: string;
  /** PromQL by legend. */
  queries: Readonly<Record<string, string>>;
  /** Stacks the series, which are parts of a whole. */
  isStacked?: boolean;
}

function queriesOf({ queries }: PanelOptions): DataqueryBuilder[] {
  return Object.entries(queries).map(([legend, expr], index) =>
    new DataqueryBuilder()
      .refId(String.fromCharCode(65 + index))
      .datasource(datasource)
      .expr(expr)
      .legendFormat(legend),
  );
}

/** A graph, a third of the page wide. */
export function graph(options: PanelOptions): TimeseriesBuilder {
  const { title, description, unit, isStacked = false } = options;
  const panel = new TimeseriesBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .min(0)
    .span(8)
    .height(8)
    .lineWidth(1)
    .fillOpacity(isStacked ? 30 : 0)
    .drawStyle(GraphDrawStyle.Line)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending));
  if (isStacked) panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal));
  for (const query of queriesOf(options)) panel.withTarget(query);
  return panel;
}

/** A single number, a sixth of the page wide. */
export function number(options: PanelOptions): StatBuilder {
  const { title, description, unit } = options;
  const panel = new StatBuilder()
    .title(title)
    .description(description)
    .datasource(datasource)
    .unit(unit)
    .span(4)
    .height(4)
    .colorMode(BigValueColorMode.None);
  for (const query of queriesOf(options)) panel.withTarget(query.instant());
  return panel;
}
