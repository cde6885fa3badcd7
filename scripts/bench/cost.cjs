// Loaded into a measured process: at its end it leaves what it took itself, processor time in ms and memory in MB.
process.once('exit', () => {
  const {userCPUTime, systemCPUTime, maxRSS} = process.resourceUsage();
  const cost = {cpu: (userCPUTime + systemCPUTime) / 1_000, memory: maxRSS / 1_024};
  require('node:fs').writeFileSync(process.env.BLACKBIRD_BENCH_COST, JSON.stringify(cost));
});
