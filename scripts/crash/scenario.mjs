// A life of a project that touches everything, one command after another. Each step says how its tasks stand when
// it has come to its end, and a step that was killed has to get there, too.

const made = '2026-01-01T00:00:00Z';
const demo = (...directives) => directives.map((directive) => `demo: ${directive}`).join('\n');

function task(id, fields) {
  return {
    id,
    title: `Task ${id}`,
    description: '',
    acceptanceCriteria: [],
    prompt: '',
    parentId: null,
    childIds: [],
    deps: [],
    status: 'todo',
    createdAt: made,
    updatedAt: made,
    ...fields,
  };
}

const fix = 'demo: append c.log c again\\ndemo: write c.fixed ok';

export const tasks = [
  task('a', {
    prompt: demo('append a.log a', 'write a.check bad', 'mend a.check good'),
    verify: ['grep -q good a.check'],
  }),
  task('b', {prompt: demo('limit 0.2', 'append b.log b')}),
  task('r', {
    description: 'A file of two lines that is there before anybody looks at it, and nothing else.',
    acceptanceCriteria: ['r.txt has two lines'],
    prompt: demo('append r.log r', 'write r.txt one\\ntwo'),
    verify: ['test -s r.txt'],
  }),
  task('s', {prompt: demo('append s.log s', 'write started x', 'sleep 60', 'write s.txt s')}),
  task('q', {prompt: demo('append q.log q', 'ask currency Which? | EUR | USD', 'write q.txt q')}),
  task('p', {prompt: demo(`send-back c c.fixed ${fix}`), childIds: ['c', 'd']}),
  task('c', {prompt: demo('append c.log c'), parentId: 'p'}),
  task('d', {prompt: demo('append d.log d', 'lines 40'), parentId: 'p'}),
  task('f', {prompt: demo('append f.log f', 'write f.txt f', 'fail as it should')}),
  task('z', {prompt: demo('append z.log z'), deps: ['a', 'p']}),
];

export const list = '# Later\n\n- [ ] Write the manual\n- [ ] Measure the start\n';

export const settings = {execution: {commit: 'task', verifyRounds: 1, pauseGraceSeconds: 5}};

const isStatus =
  (status, ...ids) =>
  (disk) =>
    ids.every((id) => disk.status(id) === status);
/** The demo agent fails once: a session that is resumed goes on after it. */
const hasEnded = (id) => (disk) => ['failed', 'done'].includes(disk.status(id));
const isPending = (id) => (disk) => disk.latest(id)?.decision_state === 'pending';

/**
 * `args`: what is typed. `goal`: how the disk looks when it is done. `tasks`: whose runs a person goes on with when
 * it was killed. `again`: what is typed then, where it is not the same. `interrupt`: Ctrl+C once this file is there.
 */
export const steps = [
  {name: 'execute, a check that fails and is mended, commit', args: ['execute', 'a'], tasks: ['a']},
  {name: 'execute, a limit that is waited for', args: ['execute', 'b'], tasks: ['b']},
  {
    name: 'execute to a checkpoint',
    args: ['execute', 'r', '--review'],
    tasks: ['r'],
    goal: isPending('r'),
  },
  {
    name: 'a comment, and changes requested',
    args: ['review', 'r', '--comment', 'r.txt:1=say why', '--request-changes', 'demo: append r.txt three'],
    tasks: ['r'],
    goal: (disk) => isPending('r')(disk) && disk.runs('r').some(({feedback}) => feedback !== undefined),
  },
  {name: 'approve', args: ['review', 'r', '--approve-quit'], tasks: ['r']},
  {
    name: 'pause',
    args: ['execute', 's'],
    interrupt: 'started',
    tasks: [],
    goal: (disk) => disk.latest('s')?.state === 'paused' || disk.status('s') === 'done',
  },
  {name: 'resume', args: ['resume', 's'], tasks: ['s']},
  {
    name: 'execute to a question',
    args: ['execute', 'q'],
    tasks: [],
    goal: (disk) => ['waiting', 'paused'].includes(disk.latest('q')?.state),
  },
  {name: 'answer', args: ['resume', 'q', '--answer', 'currency=EUR'], tasks: ['q']},
  {
    name: 'parent review that sends a task back',
    args: ['execute', 'p'],
    tasks: ['c', 'd'],
    goal: (disk) => disk.feedback('c') !== null || disk.status('p') === 'done',
  },
  {
    name: 'feedback edited',
    args: ['feedback', 'edit', 'c', fix.replace('\\n', '\n')],
    tasks: [],
    goal: (disk) => disk.feedback('c') !== null || disk.status('p') === 'done',
  },
  {
    name: 'resume with feedback, and the second review',
    args: ['resume', 'c'],
    again: ['execute', 'p'],
    tasks: ['c'],
    goal: isStatus('done', 'p'),
  },
  {
    name: 'a failure',
    args: ['execute', 'f'],
    tasks: ['f'],
    goal: hasEnded('f'),
  },
  {
    name: 'restart',
    args: ['restart', 'f', '--yes'],
    tasks: ['f'],
    goal: hasEnded('f'),
  },
  {name: 'undo', args: ['undo', 'r', '--yes'], tasks: [], goal: isStatus('todo', 'r')},
  {
    name: 'plan refine',
    args: ['plan', 'refine', 'Say it in cents', 'r', '--yes'],
    tasks: [],
    goal: (disk) => JSON.stringify(disk.task('r')).includes('in cents'),
  },
  {
    name: 'plan import',
    args: ['plan', 'import', 'LATER.md', '--yes'],
    tasks: [],
    goal: (disk) => disk.ids().length === tasks.length + 2,
  },
  {
    name: 'add',
    args: ['add', '--id', 'y', '--title', 'Another', '--prompt', 'demo: append y.log y'],
    tasks: [],
    goal: (disk) => disk.ids().includes('y'),
  },
  {name: 'the rest of the plan', args: ['execute', 'r', 'y', 'z'], tasks: ['r', 'y', 'z']},
].map((step) => ({goal: isStatus('done', ...step.tasks), again: step.args, ...step}));
