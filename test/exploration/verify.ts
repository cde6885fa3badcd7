import {availableParallelism} from 'node:os';
import {faults} from './faults.ts';
import {invariants} from './invariants.ts';
import {bundleExplorer, exploreInWorker, findingText, mapConcurrently} from './pool.ts';
import {longScenarios} from './scenarios.ts';

/** The long form: every scenario to the end of its bounds, then every fault. True when nothing is wrong. */
export async function verify(root: string, seconds: number, names: readonly string[]): Promise<boolean> {
  const startedAt = performance.now();
  const threads = availableParallelism();
  const code = await bundleExplorer(root);
  const chosen = longScenarios.filter(({name}) => names.length === 0 || names.includes(name));
  console.log(`${threads} threads, at most ${seconds} seconds for each scenario`);
  let complete = 0;
  const sums = {idleStates: 0, busyStates: 0, transitions: 0, walks: 0};
  const outcomes = await mapConcurrently(chosen, threads, async (scenario) => {
    const {figures, findings, isComplete} = await exploreInWorker(code, {scenario, seconds, maxFindings: 5});
    for (const key of Object.keys(sums) as Array<keyof typeof sums>) sums[key] += figures[key];
    const {idleStates, busyStates, transitions, walks} = figures;
    const states = `${idleStates} idle + ${busyStates} busy states`;
    const how = isComplete ? 'complete' : 'NOT COMPLETE: out of time';
    console.log(
      `${scenario.name}: ${states}, ${transitions} transitions, ${walks} walks, ${Math.round(figures.seconds)} s, ${how}`,
    );
    const {behaviours = ['all'], commands = ['all'], setup = []} = scenario;
    const before = setup.length > 0 ? `; after ${setup.flat().join(', ')}` : '';
    console.log(`  bounds: ${boundsText(scenario.bounds)}`);
    console.log(
      `  behaviours: ${behaviours.join(', ') || 'none'}; commands: ${commands.join(', ') || 'none'}${before}`,
    );
    for (const finding of findings) console.log(findingText(finding));
    if (isComplete) complete += 1;
    return findings.length === 0 && isComplete;
  });
  console.log(`${complete} of ${chosen.length} scenarios explored to the end of their bounds`);
  console.log(
    `${sums.idleStates + sums.busyStates} states, ${sums.transitions} transitions, ${sums.walks} walks`,
  );
  console.log(`${Object.keys(invariants).length} invariants: ${Object.values(invariants).join('; ')}`);
  const caught = await mapConcurrently(
    names.length === 0 ? faults : [],
    threads,
    async ({name, scenario, ...patch}) => {
      const patched = await bundleExplorer(root, patch);
      const {findings, figures} = await exploreInWorker(patched, {scenario, seconds: 60, maxFindings: 1});
      const [finding] = findings;
      console.log(
        `fault "${name}": ${finding ? `caught by ${finding.invariant}` : 'NOT CAUGHT'} (${figures.walks} walks)`,
      );
      return finding !== undefined;
    },
  );
  if (caught.length > 0) console.log(`${caught.filter(Boolean).length} of ${caught.length} faults caught`);
  console.log(`${Math.round((performance.now() - startedAt) / 1_000)} seconds in all`);
  return [...outcomes, ...caught].every(Boolean);
}

const boundsText = (bounds: Readonly<Record<string, number>>): string =>
  Object.entries(bounds)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
