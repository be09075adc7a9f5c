// The pod of `helm test`: passes as soon as the gateway, and with it everything behind it, is ready. Gives up after a minute.
const url = `${process.env.GATEWAY_URL}/readyz`;
const giveUpAt = Date.now() + Number(process.env.GIVE_UP_AFTER_MS ?? 60_000);

let last = "";
while (Date.now() < giveUpAt) {
  last = await ask();
  if (last === "") {
    console.log(`${url} is ready`);
    process.exit(0);
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
console.error(`${url} is not ready: ${last}`);
process.exit(1);

/** The dependencies that are not ready; empty if everything is. */
async function ask() {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    return response.ok ? "" : await response.text();
  } catch (error) {
    return String(error.cause ?? error);
  }
}
