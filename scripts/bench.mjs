// Measures start-up against bare node, interleaved in the same run so that a noisy machine is noisy for all.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {sampleId, samplePlan} from './sample-plan.mjs';

const rounds = Number(process.argv[2] ?? 25);
const program = fileURLToPath(new URL('../dist/blackbird.cjs', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'blackbird-bench-'));
writeFileSync(path.join(folder, 'blackbird.plan.json'), JSON.stringify(mixedPlan(), null, 2));

const commands = {
  'node -e 0': ['-e', '0'],
  '--version': [program, '--version'],
  '--help': [program, '--help'],
  'list --all (1,000 tasks)': [program, 'list', '--all'],
  'list --all --json (1,000 tasks)': [program, 'list', '--all', '--json'],
};
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const [name, args] of Object.entries(commands)) {
    const start = performance.now();
    execFileSync(process.execPath, args, {cwd: folder, stdio: 'ignore'});
    times[name].push(performance.now() - start);
  }
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const bare = median(times['node -e 0']);
console.log(`median of ${rounds} interleaved rounds, Node ${process.version}`);
for (const [name, values] of Object.entries(times)) {
  const value = median(values);
  console.log(
    `${name.padEnd(34)} ${value.toFixed(1).padStart(7)} ms   +${(value - bare).toFixed(1).padStart(5)} ms   ${(value / bare).toFixed(2)} x bare node`,
  );
}
console.log(
  `${'peak memory of list --all'.padEnd(34)} ${peakMegabytes(['list', '--all']).toFixed(1).padStart(7)} MB`,
);
rmSync(folder, {recursive: true});

/** The child reports its own high-water mark when it ends. */
function peakMegabytes(args) {
  const hook = "process.on('exit', () => process.stderr.write('rss ' + process.resourceUsage().maxRSS))";
  const file = path.join(folder, 'peak.mjs');
  writeFileSync(file, hook);
  const command = `"${process.execPath}" --import "${file}" "${program}" ${args.join(' ')} 2>&1 >/dev/null`;
  const text = execFileSync('/bin/sh', ['-c', command], {cwd: folder, encoding: 'utf8'});
  return Number(/rss (\d+)/.exec(text)[1]) / 1024;
}

/** Chains of ten, a third of the tasks done. */
function mixedPlan() {
  return samplePlan(1000, (index) => ({
    deps: index % 10 === 0 ? [] : [sampleId(index - 1)],
    status: index % 3 === 0 ? 'done' : 'todo',
  }));
}
