// A process that uses 200 ms of processor time, reports how much it has had, and waits for its end.
const cpuMs = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000;
while (cpuMs() < 200);
process.send?.(cpuMs());
setInterval(() => undefined, 2 ** 30);
