import {checkExitCodesHelp, exitCodesHelp, plannerExitCodesHelp} from './exit-codes.ts';

/** Examples by command name, with a description if the effect is not obvious. */
const examples: Readonly<Record<string, readonly string[]>> = {
  list: [
    'blackbird list                        what can be worked on now',
    'blackbird list --tree                 the whole plan and its progress',
  ],
  show: ['blackbird show api', "blackbird show api --json | jq -r '.task.prompt'"],
  why: ['blackbird why e2e                     what it is waiting for, and the command that helps'],
  next: ['blackbird next', 'blackbird execute "$(blackbird next --json | jq -r .task.id)"'],
  pick: ['blackbird pick', 'blackbird pick --all'],
  validate: ['blackbird validate && blackbird plan lint'],
  plan: [
    'blackbird plan generate "a REST API for refunds, with tests"',
    'blackbird plan lint                   what an agent would have to guess',
  ],
  'plan drafts list': ['blackbird plan drafts list'],
  'plan drafts show': ['blackbird plan drafts show 20260110-220412-3fa9c1'],
  'plan drafts open': ['blackbird plan drafts open 20260110-220412-3fa9c1'],
  'plan drafts drop': ['blackbird plan drafts drop 20260110-220412-3fa9c1'],
  init: ['blackbird init', 'blackbird --cwd ../shop init'],
  add: [
    'blackbird add "Refunds" --id api --prompt "Add POST /refunds"',
    'blackbird add "Refund e2e test" --id e2e --dep api',
  ],
  edit: [
    'blackbird edit api --prompt "Add POST /refunds with idempotency keys"',
    'blackbird edit api                    asks for each field',
  ],
  move: ['blackbird move e2e --parent payments', 'blackbird move e2e --parent root --index 0'],
  delete: ['blackbird delete e2e', 'blackbird delete payments --cascade-children'],
  deps: ['blackbird deps add e2e api            e2e waits for api', 'blackbird deps set e2e api schema'],
  'deps add': ['blackbird deps add e2e api            e2e waits for api'],
  'deps remove': ['blackbird deps remove e2e api'],
  'deps set': [
    'blackbird deps set e2e api schema',
    'blackbird deps set e2e                waits for nothing',
  ],
  'set-status': ['blackbird set-status api done', 'blackbird set-status docs skipped'],
  execute: [
    'blackbird execute                     every ready task, one after another',
    'blackbird execute api --review        one task, then ask for a decision',
    'blackbird execute --max-cost 10       overnight, with a budget',
  ],
  review: [
    'blackbird review api                  shows the change and asks',
    'blackbird review api --request-changes "use cents, not floats"',
    'blackbird review api --comment src/refunds.ts:12="why a float?"',
  ],
  resume: [
    'blackbird resume api                  in its own session',
    'blackbird resume api --answer currency=EUR --execute',
    'blackbird resume api --feedback "add a test for refunds of zero"',
  ],
  restart: ['blackbird restart api', 'blackbird restart api --yes           without asking'],
  retry: ['blackbird retry api && blackbird execute'],
  undo: [
    'blackbird undo api --dry-run          which files would change',
    'blackbird undo api                    takes its change out; the task is ready again',
    'blackbird undo api --yes              without asking',
  ],
  runs: ['blackbird runs api', 'blackbird runs api --verbose'],
  logs: ['blackbird logs api', 'blackbird logs api --follow'],
  diff: ['blackbird diff api', 'blackbird diff api --since-review'],
  feedback: ['blackbird feedback list', 'blackbird feedback dismiss api        overrules the review'],
  'feedback list': ['blackbird feedback list'],
  'feedback edit': ['blackbird feedback edit api "only the second remark"'],
  'feedback dismiss': ['blackbird feedback dismiss api        overrules the review'],
  session: ['blackbird session run --name refunds', 'blackbird session ls'],
  demo: ['blackbird demo', 'blackbird demo ./tryout --tui'],
  machines: ['blackbird machines', 'blackbird machines run --format ascii'],
  bundle: ['blackbird bundle api'],
  agents: ['blackbird agents', 'blackbird agents use codex'],
  'agents use': ['blackbird agents use codex'],
  config: ['blackbird config list', 'blackbird config set execution.stopAfterEachTask true'],
  'config list': ['blackbird config list'],
  'config get': ['blackbird config get execution.retries'],
  'config set': [
    'blackbird config set execution.verify "npm test"',
    'blackbird config set --global execution.maxCostUsd 20',
  ],
  'config unset': ['blackbird config unset execution.verify'],
  doctor: ['blackbird doctor'],
  completion: ['source <(blackbird completion bash)'],
  'session run': [
    'blackbird session run --name refunds',
    'blackbird session run --name refunds --runner codex --detached',
  ],
  'session ls': ['blackbird session ls', 'blackbird session ls --all'],
  'session show': ['blackbird session show refunds', 'cd "$(blackbird session show refunds --path)"'],
  'session attach': ['blackbird session attach refunds'],
  'session resume': ['blackbird session resume refunds', 'blackbird session resume refunds --restart'],
  'session stop': ['blackbird session stop refunds        sends Ctrl+C to it'],
  'session kill': ['blackbird session kill refunds'],
  'session clean': ['blackbird session clean refunds       the branch and the record stay'],
  'session doctor': ['blackbird session doctor'],
  'session completion': ['source <(agency completion bash)'],
};

/** For commands that a script may call; the general help lists the rest. */
const exitCodes: Readonly<Record<string, string>> = {
  ...ofEach(['execute', 'resume', 'restart', 'review'], exitCodesHelp),
  ...ofEach(['plan generate', 'plan refine', 'plan drafts open', 'deps infer'], plannerExitCodesHelp),
  ...ofEach(['doctor', 'validate', 'session doctor'], checkExitCodesHelp),
};

function ofEach(names: readonly string[], text: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, text]));
}

/** What is appended to the help of a command that has no examples of its own. */
export function helpFor([program, ...rest]: readonly string[]): string {
  // The programs show their own examples.
  if (rest.length === 0) return '';
  const names = program === 'agency' ? ['session', ...rest] : rest;
  const name = names.join(' ');
  const lines = examples[name] ?? [];
  const shown =
    program === 'agency' ? lines.map((line) => line.replace('blackbird session', 'agency')) : lines;
  return [
    ...(shown.length === 0 ? [] : ['', 'Examples:', ...shown.map((line) => `  $ ${line}`)]),
    ...(exitCodes[name] === undefined ? [] : ['', exitCodes[name]]),
  ].join('\n');
}
