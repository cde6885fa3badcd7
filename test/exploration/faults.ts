import type {Mistake} from './pool.ts';
import {scenarios} from './scenarios.ts';
import type {Bounds, Scenario} from './scene.ts';

/** A mistake that somebody could make tomorrow, and the scenario that must not survive it. */
export type Fault = Mistake & {readonly name: string; readonly scenario: Scenario};

type Edit = readonly [find: string, replace: string];

const fault = (name: string, scenario: Scenario, file: string, ...edits: readonly Edit[]): Fault => ({
  name,
  scenario,
  file: `src/machines/${file}`,
  edits,
});

/** The same project with less going on around what matters. */
const about = (scenario: Scenario, acts: readonly string[], bounds: Partial<Bounds> = {}): Scenario => ({
  ...scenario,
  acts,
  bounds: {...scenario.bounds, crashes: 0, pauses: 0, ...bounds},
});

const {oneTask, checkpoint, leftOpen, parentReview, checks, undo, fullDisk, edits} = scenarios;

/** Guards that are dropped, orders that are swapped, writes that are forgotten: each must be found. */
export const faults: readonly Fault[] = [
  fault('an agent is told to go before its pid is recorded', oneTask, 'segment.machine.ts', [
    'actions: assign({held: ({event: {identity, argv}}) => ({identity, argv})}),',
    "actions: [assign({held: ({event: {identity, argv}}) => ({identity, argv})}), 'startAgent'],",
  ]),
  fault('a pause during the launch is forgotten', about(oneTask, [], {pauses: 1}), 'segment.machine.ts', [
    "{guard: 'isPauseAsked', target: 'withdrawing', actions: remembered},",
    '',
  ]),
  fault(
    'the end is recorded before the rest of an agent is ended',
    about(oneTask, ['fails']),
    'segment.machine.ts',
    [
      "{guard: 'hasExited', target: 'sweeping'},\n        {guard: 'hasResult', target: 'lingering'},",
      "{guard: 'hasExited', target: 'settling'},\n        {guard: 'hasResult', target: 'lingering'},",
    ],
  ),
  fault(
    'an agent that obeys no interrupt is never killed',
    about(oneTask, [], {pauses: 1}),
    'segment.machine.ts',
    ["after: {graceWindow: 'killing'},", ''],
  ),
  fault('a session counts as stored at once', about(oneTask, [], {pauses: 2}), 'policies/run/run-step.ts', [
    'return facts.killedAt - facts.sessionSeenAt >= sessionStoreWindow;',
    'return true;',
  ]),
  fault(
    'a strange session is taken for the own one',
    about(oneTask, ['opens a strange session'], {pauses: 1}),
    'actors/agent.actor.ts',
    ["if (request.kind === 'resume' && event.ref !== request.sessionRef) {", 'if (strangeRef !== null) {'],
  ),
  fault(
    'the plan is told before the run is recorded',
    about(oneTask, [], {crashes: 1}),
    'actors/begin-run.ts',
    ['  await services.runs.insert(run);\n  try {', '  try {'],
    [
      '  return {\n    task,\n    run,\n    order',
      '  await services.runs.insert(run);\n  return {\n    task,\n    run,\n    order',
    ],
  ),
  fault('a pause while a run is prepared is forgotten', about(oneTask, [], {pauses: 1}), 'task.machine.ts', [
    "{guard: 'isPauseAsked', target: 'withdrawing', actions: prepared},",
    '',
  ]),
  fault(
    'a restart does not replace the run before it',
    {...about(oneTask, [], {pauses: 1}), commands: ['restart']},
    'task.machine.ts',
    ["{guard: {type: 'isReplacing', params: outputIn}, target: 'replacing', actions: prepared},", ''],
  ),
  fault(
    'what a crash left of an agent is not ended',
    about(oneTask, [], {crashes: 1}),
    'actors/recover-runs.actor.ts',
    ['const {remaining} = await services.agents.sweep(run);', 'const remaining: number[] = [];'],
  ),
  fault(
    'a lost session is taken for a stored one',
    about(oneTask, [], {crashes: 1}),
    'actors/recover-runs.actor.ts',
    ['resumable: run.resumable && isStored};', 'resumable: run.resumable};'],
  ),
  fault('the owner of a run is not asked', edits, 'actors/recover-runs.actor.ts', [
    "if (isSelf || livenessOf(identityOf(owner)) !== 'alive') return;",
    'if (!isSelf) return;',
  ]),
  fault(
    'an answer that was not heard counts as heard',
    about(oneTask, ['asks', 'has lost its session']),
    'policies/run/relaunch.ts',
    ['place < (answered ?? place + 1) ? answer : {...answer, undelivered: true},', 'answer,'],
  ),
  fault('a run ends without the checkpoint it was asked for', checkpoint, 'policies/run/run-record.ts', [
    'if (!isGated || isUndelivered(run)) return run;',
    'if (isGated || isUndelivered(run)) return run;',
  ]),
  fault('an open checkpoint counts as passed', about(leftOpen, []), 'policies/run/task-runs.ts', [
    "decision_state === 'pending' || decision_state === 'changes_requested' ? 'in_progress'",
    "decision_state === 'changes_requested' ? 'in_progress'",
  ]),
  fault('a checkpoint that was left open is not asked about', leftOpen, 'policies/review/decisions.ts', [
    "if (run.decision_state === 'pending') return {run, undelivered: null};",
    '',
  ]),
  fault('a wish to stop after the task is forgotten', edits, 'executor.machine.ts', [
    "isEnough: or([\n      stateIn('#stopping'),",
    'isEnough: or([',
  ]),
  fault(
    'an edit is lost when a task begins',
    about(edits, [], {rivals: 0, stops: 0}),
    'actors/begin-run.ts',
    ['{task, mode}: Situation,\n  run: RunRecord,', '{task, mode, plan}: Situation,\n  run: RunRecord,'],
    [
      "return setStatus(current, task.id, 'in_progress', services.now());",
      "return setStatus(plan, task.id, 'in_progress', services.now());",
    ],
  ),
  fault(
    'a review sends back on record before its feedback is kept',
    about(parentReview, ['sends a task back'], {crashes: 1, commands: 1}),
    'actors/settle-review.actor.ts',
    [
      "  for (const each of pending) await stores.feedback.save(each);\n  return {type: 'sentBack', run: await record(stores, run, {type: 'judged', answer}), pending};",
      "  const recorded = await record(stores, run, {type: 'judged', answer});\n  for (const each of pending) await stores.feedback.save(each);\n  return {type: 'sentBack', run: recorded, pending};",
    ],
  ),
  fault(
    'a parent is judged by a review of earlier work',
    about(parentReview, ['sends a task back']),
    'policies/review/parent-review.ts',
    [
      'run.parent_review_completion_signature === signature,',
      'run.parent_review_completion_signature !== undefined,',
    ],
  ),
  fault('a task is done before it is committed', about(undo, []), 'task.machine.ts', [
    "always: [{guard: 'isToBeCommitted', target: 'committing'}, {target: 'settling'}]",
    "always: {target: 'settling'}",
  ]),
  fault('a check that failed counts as passed', about(checks, []), 'policies/run/check-words.ts', [
    ': boolean => exit_code === 0;',
    ': boolean => exit_code !== null;',
  ]),
  fault('the last check is skipped', about(checks, []), 'policies/run/verification.ts', [
    'place >= (run.verify ?? []).length;',
    'place + 1 >= (run.verify ?? []).length;',
  ]),
  fault('a run that was checked is not recorded as checked', about(checks, []), 'task.machine.ts', [
    "{guard: {type: 'isToBeVerified', params: outputIn}, target: 'verifying', actions: ended},",
    '',
  ]),
  fault('a job is not closed', about(oneTask, []), 'engine.machine.ts', [
    "...byWish('closing', 'rememberEnd')],",
    "...byWish('releasing', 'rememberEnd')],",
  ]),
  fault('the lock is kept', about(oneTask, []), 'engine.machine.ts', [
    "onDone: 'releasing',",
    "onDone: 'stopped',",
  ]),
  fault('a failed write is passed over', fullDisk, 'segment.machine.ts', [
    "{target: 'active', actions: [remembered, 'startAgent']},\n        ],\n        onError: {target: 'killing', actions: failed},",
    "{target: 'active', actions: [remembered, 'startAgent']},\n        ],\n        onError: {target: 'active', actions: 'startAgent'},",
  ]),
  fault(
    'a restart that never began keeps its place',
    {...about(oneTask, [], {pauses: 1}), commands: ['restart']},
    'actors/reinstate.ts',
    ['if (replaced?.superseded_by_run_id !== run_id) return;', 'if (replaced !== null) return;'],
  ),
  fault(
    'requested changes begin after a pause',
    {...about(checkpoint, [], {pauses: 1}), plan: oneTask.plan},
    'task.machine.ts',
    [
      "goingBack: {\n              always: [{guard: 'isPauseAsked', target: '#task.leftOpen'}, {target: 'preparing'}],",
      "goingBack: {\n              always: [{target: 'preparing'}],",
    ],
  ),
  fault(
    'the next task begins after a pause',
    {...about(oneTask, [], {pauses: 1, commands: 1}), plan: scenarios.checkpoint.plan},
    'executor.machine.ts',
    [
      "choosing: {\n              always: [\n                {guard: 'isPauseAsked', target: '#paused'},",
      'choosing: {\n              always: [',
    ],
    ["{guard: 'isPauseAsked', target: '#paused', actions: begun},\n", ''],
  ),
  fault(
    'a task begins before its dependency',
    about(edits, ['fails'], {rivals: 0, stops: 0, edits: 0}),
    'policies/plan/readiness.ts',
    [
      "unmetDeps(plan, task).length > 0 ? 'BLOCKED' : 'READY'",
      "unmetDeps(plan, task).length > 1 ? 'BLOCKED' : 'READY'",
    ],
  ),
  fault(
    'a limit is not remembered',
    {...about(scenarios.limits, ['hits a limit']), plan: oneTask.plan, isPatient: false},
    'actors/record-run.actor.ts',
    ['await limits.save(provider, {until: retry_at, source, seenAt: updated_at});', 'void source;'],
  ),
  fault(
    'feedback that nobody heard counts as delivered',
    {...about(parentReview, ['sends a task back', 'has lost its session']), commands: ['resume']},
    'policies/run/task-runs.ts',
    ['run.segments.length > 0 && !isUnheard(run);', 'run.segments.length > 0;'],
  ),
  fault(
    'an undo is over before the plan says so',
    {...about(undo, [], {crashes: 1}), plan: oneTask.plan, commands: ['undo']},
    'actors/undo.actor.ts',
    [
      'await plans.update((plan) =>\n      plan.items.has(task.id) ? setStatus(plan, task.id, status, now(), leaveParents) : plan,\n    );\n    const summary',
      'const summary',
    ],
    [
      'return runs.update(task.id, run.run_id, (current) => undone(current, files.to, summary, now()));',
      'const over = await runs.update(task.id, run.run_id, (current) => undone(current, files.to, summary, now()));\n    await plans.update((plan) =>\n      plan.items.has(task.id) ? setStatus(plan, task.id, status, now(), leaveParents) : plan,\n    );\n    return over;',
    ],
  ),
  fault(
    'a restart that is withdrawn gives its place back before it is over',
    {
      ...about(checkpoint, [], {pauses: 1, crashes: 1, commands: 2}),
      plan: oneTask.plan,
      commands: ['restart'],
    },
    'actors/record-run.actor.ts',
    ["    if (step.type === 'withdrawn') await reinstate({runs, now}, run);\n", ''],
    [
      '    const trace = {\n',
      "    if (step.type === 'withdrawn') await reinstate({runs, now}, run);\n    const trace = {\n",
    ],
  ),
  fault(
    'an undo that broke keeps the place of the run it was to take back',
    {...about(undo, [], {crashes: 1}), plan: oneTask.plan, commands: ['undo']},
    'actors/recover-runs.actor.ts',
    ['await reinstate({runs, now}, {...run, restart_of_run_id: run_id});', 'void run_id;'],
  ),
  fault(
    'a session of a later segment counts as stored at once',
    {...about(oneTask, ['asks'], {crashes: 1}), commands: ['answer']},
    'actors/recover-runs.actor.ts',
    ['const wasStored = isResumed || ', 'const wasStored = run.segments.length > 1 || isResumed || '],
  ),
  fault(
    'an agent that crashed counts as having stored its session',
    about(oneTask, ['dies without a word'], {commands: 1}),
    'actors/agent.actor.ts',
    ['if (signal !== null && !politeSignals.has(signal)) killedAt ??= monotonicNow();', ''],
  ),
  fault(
    'an answer that nobody did anything about is not told to the next run',
    {...about(oneTask, ['asks']), commands: ['answer']},
    'policies/run/undelivered-words.ts',
    ['=> undelivered || isOpen);', '=> undelivered && !isOpen);'],
  ),
  fault(
    'an answer to what nobody asks is swallowed',
    {...about(oneTask, []), commands: ['answer']},
    'actors/prepare-run.actor.ts',
    ["requirePossible(facts, isAnswer ? 'answer' : command);", 'requirePossible(facts, command);'],
  ),
];
