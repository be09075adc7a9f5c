/** Anthropic's way to ask for caching, which OpenRouter passes on. */
export function cacheControl(cache: "auto" | "extended") {
  return cache === "extended" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}
