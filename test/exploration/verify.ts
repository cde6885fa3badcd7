import {availableParallelism} from 'node:os';
import {faults} from './faults.ts';
import {invariants} from './invariants.ts';
import {bundleExplorer, findingText, inTurn, runErrand} from './pool.ts';
import {longScenarios} from './scenarios.ts';

/** The long form: every scenario to the end of its bounds, then every fault. True when nothing is wrong. */
export async function verify(root: string, seconds: number, names: readonly string[]): Promise<boolean> {
  const begun = performance.now();
  const threads = availableParallelism();
  const code = await bundleExplorer(root);
  const chosen = longScenarios.filter(({name}) => names.length === 0 || names.includes(name));
  console.log(`${threads} threads, at most ${seconds} seconds for each scenario`);
  let whole = 0;
  const sums = {rests: 0, moments: 0, transitions: 0, walks: 0};
  const outcomes = await inTurn(chosen, threads, async (scenario) => {
    const {figures, findings, isWhole} = await runErrand(code, {scenario, seconds, most: 5});
    for (const key of Object.keys(sums) as Array<keyof typeof sums>) sums[key] += figures[key];
    const {rests, moments, transitions, walks} = figures;
    const states = `${rests} rests + ${moments} moments`;
    const how = isWhole ? 'whole' : 'NOT WHOLE: out of time';
    console.log(
      `${scenario.name}: ${states}, ${transitions} transitions, ${walks} walks, ${Math.round(figures.seconds)} s, ${how}`,
    );
    const {acts = ['all'], commands = ['all'], lead = []} = scenario;
    const before = lead.length > 0 ? `; after ${lead.flat().join(', ')}` : '';
    console.log(`  bounds: ${boundsText(scenario.bounds)}`);
    console.log(`  acts: ${acts.join(', ') || 'none'}; commands: ${commands.join(', ') || 'none'}${before}`);
    for (const finding of findings) console.log(findingText(finding));
    if (isWhole) whole += 1;
    return findings.length === 0 && isWhole;
  });
  console.log(`${whole} of ${chosen.length} scenarios explored to the end of their bounds`);
  console.log(`${sums.rests + sums.moments} states, ${sums.transitions} transitions, ${sums.walks} walks`);
  console.log(`${Object.keys(invariants).length} invariants: ${Object.values(invariants).join('; ')}`);
  const caught = await inTurn(
    names.length === 0 ? faults : [],
    threads,
    async ({name, scenario, ...mistake}) => {
      const mistaken = await bundleExplorer(root, mistake);
      const {findings, figures} = await runErrand(mistaken, {scenario, seconds: 60, most: 1});
      const [finding] = findings;
      console.log(
        `fault "${name}": ${finding ? `caught by ${finding.invariant}` : 'NOT CAUGHT'} (${figures.walks} walks)`,
      );
      return finding !== undefined;
    },
  );
  if (caught.length > 0) console.log(`${caught.filter(Boolean).length} of ${caught.length} faults caught`);
  console.log(`${Math.round((performance.now() - begun) / 1_000)} seconds in all`);
  return [...outcomes, ...caught].every(Boolean);
}

const boundsText = (bounds: Readonly<Record<string, number>>): string =>
  Object.entries(bounds)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
