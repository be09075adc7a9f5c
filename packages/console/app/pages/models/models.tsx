import type { Model, ModelList, ProviderList } from "@muster/client";
import { useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { useFilters } from "../../frame/use-filters.ts";
import { Copy } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { inputShape } from "../../parts/field.tsx";
import { count, price } from "../../parts/format.ts";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Providers } from "./providers.tsx";

const priceOf = (usd: string | null) => (usd === null ? "–" : price(usd));

export function Models() {
  const [{ text = "", provider }, setFilters] = useFilters("text", "provider");
  const { permissions } = useCredential();
  const mayAsk = permissions.includes("sessions") || permissions.includes("agents");
  const { data } = useApi<ProviderList>(mayAsk ? "/api/providers" : null);
  const providers = data?.providers ?? [];
  const words = text.toLowerCase().split(/\s+/);
  const isShown = ({ id, name }: Model) =>
    words.every((word) => id.toLowerCase().includes(word) || name.toLowerCase().includes(word));
  return (
    <Page title="Models">
      <div className="flex h-full min-h-0 flex-col gap-4">
        <Providers providers={providers} />
        <div className="flex flex-wrap gap-2">
          <input
            aria-label="Filter by name"
            placeholder="Filter by name"
            type="search"
            className={`${inputShape} md:max-w-72`}
            value={text}
            onChange={({ target }) => setFilters({ text: target.value }, { replace: true })}
          />
          <select
            aria-label="Provider"
            className={`${inputShape} md:max-w-52`}
            value={provider ?? ""}
            onChange={({ target }) => setFilters({ provider: target.value }, { replace: true })}
          >
            <option value="">All providers</option>
            {providers.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <div className="flex min-h-96 flex-1 flex-col">
          <List<ModelList, Model>
            label="Models"
            path="/api/models"
            query={{ provider }}
            rowsOf={({ models }) => models}
            isShown={isShown}
            keyOf={({ id }) => id}
            columns={[
              { title: "Model", cell: (model) => <ModelId model={model} />, width: "minmax(0, 2fr)" },
              { title: "Name", cell: ({ name }) => name },
              { title: "Context", width: "6rem", isNumber: true, cell: contextOf },
              {
                title: "Input",
                width: "5.5rem",
                isNumber: true,
                cell: ({ pricing }) => priceOf(pricing.inputPer1M),
              },
              {
                ...{ title: "Cached", width: "5.5rem", isNumber: true },
                cell: ({ pricing }) => priceOf(pricing.cacheReadPer1M),
              },
              {
                ...{ title: "Output", width: "5.5rem", isNumber: true },
                cell: ({ pricing }) => priceOf(pricing.outputPer1M),
              },
              {
                ...{ title: "Fee", width: "5.5rem", isNumber: true },
                cell: ({ pricing }) => priceOf(pricing.bandwidthPer1M),
              },
            ]}
            second={(model) => (
              <>
                {model.contextLength !== null && `${contextOf(model)} · `}in{" "}
                {priceOf(model.pricing.inputPer1M)} · out {priceOf(model.pricing.outputPer1M)}
              </>
            )}
            empty={
              <Empty title="No model matches">
                Any model of a configured provider can be used, even one without a known price.
              </Empty>
            }
          />
        </div>
        <p className="text-small text-muted">
          Prices are in US dollars per million tokens. The fee is the platform’s, for input and output.
          Definitions name a model by its id.
        </p>
      </div>
    </Page>
  );
}

function ModelId({ model: { id } }: { model: Model }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 truncate font-mono text-small">{id}</code>
      <Copy text={id} label={id} />
    </span>
  );
}

function contextOf({ contextLength }: Model): string {
  return contextLength === null ? "–" : count(contextLength);
}
