/** Acts as a browser: keeps cookies for each origin, and follows redirects. */
export function createBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const cookies = (address: string) => {
    const jar = jars.get(new URL(address).origin) ?? new Map<string, string>();
    return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  };
  const get = async (address: string) => {
    const response = await fetch(address, {
      redirect: "manual",
      headers: { accept: "text/html,*/*;q=0.8", cookie: cookies(address) },
    });
    keep(new URL(address).origin, response.headers.getSetCookie());
    await response.body?.cancel();
    return response;
  };
  const keep = (origin: string, lines: readonly string[]) => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    for (const line of lines) {
      const [pair = ""] = line.split(";");
      const name = pair.slice(0, pair.indexOf("="));
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, pair.slice(name.length + 1));
    }
  };
  return {
    cookies,
    /** One request. Resolves with the response and where it leads. */
    visit: async (address: string) => {
      const response = await get(address);
      const location = response.headers.get("location");
      return { response, to: location === null ? undefined : new URL(location, address).href };
    },
    /** Follows redirects until the next one would lead to an address that begins so. Throws if none does. */
    follow: async (address: string, until: string): Promise<string> => {
      let next = address;
      for (let steps = 0; steps < 12 && !next.startsWith(until); steps++) {
        const { status, headers } = await get(next);
        const location = headers.get("location");
        if (location === null) throw new Error(`${next} is ${status} and leads nowhere`);
        next = new URL(location, next).href;
      }
      return next;
    },
  };
}
