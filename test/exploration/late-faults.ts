import {afterSetup, type Fault, fault, narrowed} from './planted-fault.ts';
import {scenarios} from './scenarios.ts';

const {oneTask, checkpoint, parentReview, undo, edits} = scenarios;

/** Faults that need a longer history: an earlier command, a crash, or a second run. */
export const lateFaults: readonly Fault[] = [
  fault(
    'a restart that never began keeps its place',
    afterSetup([['execute', 'agent a-1 fails']], narrowed(oneTask, ['fails'], {pauses: 1}), ['restart']),
    'actors/reinstate.ts',
    ['if (replaced?.superseded_by_run_id !== run_id) return;', 'if (replaced !== null) return;'],
  ),
  fault(
    'requested changes begin after a pause',
    {...narrowed(checkpoint, [], {pauses: 1}), plan: oneTask.plan},
    'task.machine.ts',
    [
      "goingBack: {\n              always: [{guard: 'isPauseAsked', target: '#task.leftOpen'}, {target: 'preparing'}],",
      "goingBack: {\n              always: [{target: 'preparing'}],",
    ],
  ),
  fault(
    'the next task begins after a pause',
    {...narrowed(oneTask, [], {pauses: 1, commands: 1}), plan: scenarios.checkpoint.plan},
    'executor.machine.ts',
    [
      "choosing: {\n              always: [\n                {guard: 'isPauseAsked', target: '#paused'},",
      'choosing: {\n              always: [',
    ],
    ["{guard: 'isPauseAsked', target: '#paused', actions: begun},\n", ''],
  ),
  fault(
    'a task begins before its dependency',
    narrowed(edits, ['fails'], {secondInstances: 0, stops: 0, edits: 0}),
    'policies/plan/readiness.ts',
    [
      "unmetDeps(plan, task).length > 0 ? 'BLOCKED' : 'READY'",
      "unmetDeps(plan, task).length > 1 ? 'BLOCKED' : 'READY'",
    ],
  ),
  fault(
    'a limit is not remembered',
    {...narrowed(scenarios.limits, ['hits a limit']), plan: oneTask.plan, isPatient: false},
    'actors/record-run.actor.ts',
    ['await limits.save(provider, {until: retry_at, source, seenAt: updated_at});', 'void source;'],
  ),
  fault(
    'feedback that nobody heard counts as delivered',
    afterSetup(
      [['execute', 'agent p-1 sends a task back']],
      narrowed(parentReview, ['sends a task back', 'has lost its session']),
      ['resume'],
    ),
    'policies/run/task-runs.ts',
    ['run.segments.length > 0 && !failedEarly(run);', 'run.segments.length > 0;'],
  ),
  fault(
    'an undo is over before the plan says so',
    afterSetup([['execute']], {...narrowed(undo, [], {crashes: 1}), plan: oneTask.plan}, ['undo']),
    'actors/undo.actor.ts',
    [
      'await plans.update((plan) => {\n      const {plan: without',
      'const tell = () => plans.update((plan) => {\n      const {plan: without',
    ],
    [
      'return runs.update(task.id, run.run_id, (current) =>\n      withTakenBack(undone(current, files.to, summary, now()), back),\n    );',
      'const over = await runs.update(task.id, run.run_id, (current) => undone(current, files.to, summary, now()));\n    await tell();\n    return over;',
    ],
  ),
  fault(
    'a restart that is withdrawn gives its place back before it is over',
    afterSetup(
      [['execute', 'leave a-1 open']],
      {...narrowed(checkpoint, [], {pauses: 1, crashes: 1}), plan: oneTask.plan},
      ['restart'],
    ),
    'actors/record-run.actor.ts',
    ["    if (step.type === 'withdrawn' && isTakenBack(recorded)) await reinstate({runs, now}, run);\n", ''],
    [
      '    const trace = {\n',
      "    if (step.type === 'withdrawn') await reinstate({runs, now}, run);\n    const trace = {\n",
    ],
  ),
  fault(
    'an undo that broke keeps the place of the run it was to take back',
    afterSetup([['execute']], {...narrowed(undo, [], {crashes: 1}), plan: oneTask.plan}, ['undo']),
    'actors/recover-runs.actor.ts',
    ['await reinstate({runs, now}, {...run, restart_of_run_id: run_id});', 'void run_id;'],
  ),
  fault(
    'a session of a later segment counts as stored at once',
    afterSetup([['execute', 'agent a-1 asks']], narrowed(oneTask, ['asks'], {crashes: 1}), ['answer']),
    'actors/recover-runs.actor.ts',
    ['const wasStored = isResumed || ', 'const wasStored = run.segments.length > 1 || isResumed || '],
  ),
  fault(
    'an agent that crashed counts as having stored its session',
    narrowed(oneTask, ['crashes without a result'], {commands: 1}),
    'actors/agent.actor.ts',
    ['if (signal !== null && !politeSignals.has(signal)) killedAt ??= monotonicNow();', ''],
  ),
  fault(
    'an answer that nobody did anything about is not told to the next run',
    {...narrowed(oneTask, ['asks']), commands: ['answer']},
    'policies/run/undelivered-words.ts',
    ['=> undelivered || isOpen);', '=> undelivered && !isOpen);'],
  ),
  fault(
    'an answer to what nobody asks is swallowed',
    {...narrowed(oneTask, []), commands: ['answer']},
    'actors/prepare-run.actor.ts',
    ["requirePossible(facts, isAnswer ? 'answer' : command);", 'requirePossible(facts, command);'],
  ),
  fault(
    'a commit is recorded before it is made',
    narrowed(undo, [], {commands: 1}),
    'actors/commit-task.actor.ts',
    [
      'const commit = await outcomeOf({plans, runs, changes}, run);',
      "const commit = {sha: 'soon', branch: 'main'};\n  setTimeout(() => void outcomeOf({plans, runs, changes}, run), 1);",
    ],
  ),
  fault(
    'a parent is told before its review is recorded',
    narrowed(parentReview, [], {commands: 1}),
    'actors/settle-review.actor.ts',
    ["  const recorded = await record(stores, run, {type: 'judged', answer});\n", ''],
    ['run: recorded};', "run: await record(stores, run, {type: 'judged', answer})};"],
  ),
  fault('a job does not note what it starts', narrowed(oneTask, [], {commands: 1}), 'actors/job.actor.ts', [
    '      await noteRun(run);\n      await runs.insert',
    '      await runs.insert',
  ]),
  fault(
    'feedback is removed before an agent heard it',
    afterSetup(
      [['execute', 'agent p-1 sends a task back']],
      narrowed(parentReview, ['sends a task back'], {crashes: 1}),
      ['resume'],
    ),
    'actors/prepare-run.actor.ts',
    [
      '    onPrepared(prepared);',
      '    if (pending) await services.feedback.remove(task.id);\n    onPrepared(prepared);',
    ],
  ),
  fault(
    'the lock is released before the job is closed',
    narrowed(oneTask, [], {commands: 1}),
    'engine.machine.ts',
    ["...byWish('closing', 'rememberEnd')],", "...byWish('releasing', 'rememberEnd')],"],
    [
      "onDone: 'releasing',\n                onError: failTo('releasing'),",
      "onDone: 'stopped',\n                onError: failTo('stopped'),",
    ],
    [
      "onDone: 'stopped',\n                onError: failTo('stopped'),\n              },\n            },\n            stopped",
      "onDone: 'closing',\n                onError: failTo('stopped'),\n              },\n            },\n            stopped",
    ],
  ),
  fault(
    'requested changes are asked for again after a crash',
    afterSetup(
      [['execute', 'request changes to a-1', 'Blackbird dies before runs.insert']],
      {...narrowed(checkpoint, [], {crashes: 1}), plan: oneTask.plan},
      [],
    ),
    'policies/review/decisions.ts',
    ["undelivered: isRefused ? null : (run.decision_feedback ?? '')", 'undelivered: null'],
  ),
];
