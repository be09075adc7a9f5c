/** The tools that only the page can execute: it has the visitor's clock. The agent calls them like any others. */
export const tools = {
  "local-time": () => ({
    time: new Date().toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short" }),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }),
  "set-reminder": ({ minutes, text }) => {
    setTimeout(() => alert(text), minutes * 60_000);
    return { remindAt: new Date(Date.now() + minutes * 60_000).toLocaleTimeString("en-GB") };
  },
};
