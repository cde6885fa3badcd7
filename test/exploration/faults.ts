import {lateFaults} from './late-faults.ts';
import {type Fault, fault, narrowed} from './planted-fault.ts';
import {scenarios} from './scenarios.ts';

export type {Fault};

const {oneTask, checkpoint, leftOpen, parentReview, checks, undo, fullDisk, edits} = scenarios;

/** Dropped guards, swapped orders, missing writes: each must be found. */
export const faults: readonly Fault[] = [
  fault('an agent is released before its pid is recorded', oneTask, 'segment.machine.ts', [
    'actions: assign({held: ({event: {identity, argv}}) => ({identity, argv})}),',
    "actions: [assign({held: ({event: {identity, argv}}) => ({identity, argv})}), 'startAgent'],",
  ]),
  fault('a pause during the launch is forgotten', narrowed(oneTask, [], {pauses: 1}), 'segment.machine.ts', [
    "{guard: 'isPauseAsked', target: 'withdrawing', actions: remembered},",
    '',
  ]),
  fault(
    'the end is recorded before the rest of an agent is ended',
    narrowed(oneTask, ['fails']),
    'segment.machine.ts',
    [
      "{guard: 'hasExited', target: 'sweeping'},\n        {guard: 'hasResult', target: 'lingering'},",
      "{guard: 'hasExited', target: 'settling'},\n        {guard: 'hasResult', target: 'lingering'},",
    ],
  ),
  fault(
    'an agent that obeys no interrupt is never killed',
    narrowed(oneTask, [], {pauses: 1}),
    'chart-parts.ts',
    ["after: {graceWindow: 'killing'},", ''],
  ),
  fault(
    'a session counts as stored at once',
    narrowed(oneTask, [], {pauses: 2}),
    'policies/run/run-step.ts',
    ['return facts.killedAt - facts.sessionSeenAt >= sessionStoreWindow;', 'return true;'],
  ),
  fault(
    'a wrong session is taken for the own one',
    narrowed(oneTask, ['opens a wrong session'], {pauses: 1}),
    'actors/agent.actor.ts',
    ["if (request.kind === 'resume' && event.ref !== request.sessionRef) {", 'if (strangeRef !== null) {'],
  ),
  fault(
    'the plan is told before the run is recorded',
    narrowed(oneTask, [], {crashes: 1}),
    'actors/begin-run.ts',
    ['  await services.runs.insert(run);\n  try {', '  try {'],
    [
      '  return {\n    task,\n    run,\n    order',
      '  await services.runs.insert(run);\n  return {\n    task,\n    run,\n    order',
    ],
  ),
  fault(
    'a pause while a run is prepared is forgotten',
    narrowed(oneTask, [], {pauses: 1}),
    'task.machine.ts',
    ["{guard: 'isPauseAsked', target: 'withdrawing', actions: prepared},", ''],
  ),
  fault(
    'a restart does not replace the run before it',
    {...narrowed(oneTask, [], {pauses: 1}), commands: ['restart']},
    'task.machine.ts',
    ["{guard: {type: 'isReplacing', params: outputIn}, target: 'replacing', actions: prepared},", ''],
  ),
  fault(
    'what a crash left of an agent is not ended',
    narrowed(oneTask, [], {crashes: 1}),
    'actors/recover-runs.actor.ts',
    ['const {remaining} = await services.agents.sweep(run);', 'const remaining: number[] = [];'],
  ),
  fault(
    'a lost session is taken for a stored one',
    narrowed(oneTask, [], {crashes: 1}),
    'actors/recover-runs.actor.ts',
    ['resumable: run.resumable && isStored};', 'resumable: run.resumable};'],
  ),
  fault('the owner of a run is not asked', edits, 'actors/recover-runs.actor.ts', [
    "if (isSelf || livenessOf(identityOf(owner)) !== 'alive') return;",
    'if (!isSelf) return;',
  ]),
  fault(
    'an answer that was not heard counts as heard',
    narrowed(oneTask, ['asks', 'has lost its session']),
    'policies/run/relaunch.ts',
    ['place < (answered ?? place + 1) ? answer : {...answer, undelivered: true},', 'answer,'],
  ),
  fault('a run ends without the checkpoint it was asked for', checkpoint, 'policies/run/run-record.ts', [
    'if (!isGated || isUndelivered(run)) return run;',
    'if (isGated || isUndelivered(run)) return run;',
  ]),
  fault('an open checkpoint counts as passed', narrowed(leftOpen, []), 'policies/run/task-runs.ts', [
    "decision_state === 'pending' || decision_state === 'changes_requested' ? 'in_progress'",
    "decision_state === 'changes_requested' ? 'in_progress'",
  ]),
  fault('a checkpoint that was left open is not asked about', leftOpen, 'policies/review/decisions.ts', [
    "if (run.decision_state === 'pending') return {run, undelivered: null};",
    '',
  ]),
  fault('a request to stop after the task is forgotten', edits, 'executor.machine.ts', [
    "isEnough: or([\n      stateIn('#stopping'),",
    'isEnough: or([',
  ]),
  fault(
    'an edit is lost when a task begins',
    narrowed(edits, [], {secondInstances: 0, stops: 0}),
    'actors/begin-run.ts',
    ['{task, mode}: Situation,\n  run: RunRecord,', '{task, mode, plan}: Situation,\n  run: RunRecord,'],
    [
      "return setStatus(current, task.id, 'in_progress', services.now());",
      "return setStatus(plan, task.id, 'in_progress', services.now());",
    ],
  ),
  fault(
    'a review sends back on record before its feedback is kept',
    narrowed(parentReview, ['sends a task back'], {crashes: 1, commands: 1}),
    'actors/settle-review.actor.ts',
    [
      "  for (const each of pending) await stores.feedback.save(each);\n  return {type: 'sentBack', run: await record(stores, run, {type: 'judged', answer}), pending};",
      "  const recorded = await record(stores, run, {type: 'judged', answer});\n  for (const each of pending) await stores.feedback.save(each);\n  return {type: 'sentBack', run: recorded, pending};",
    ],
  ),
  fault(
    'a parent is judged by a review of earlier work',
    narrowed(parentReview, ['sends a task back']),
    'policies/review/parent-review.ts',
    [
      'run.parent_review_completion_signature === signature,',
      'run.parent_review_completion_signature !== undefined,',
    ],
  ),
  fault('a task is done before it is committed', narrowed(undo, []), 'task.machine.ts', [
    "always: [{guard: 'isToBeCommitted', target: 'committing'}, {target: 'settling'}]",
    "always: {target: 'settling'}",
  ]),
  fault('a check that failed counts as passed', narrowed(checks, []), 'policies/run/check-words.ts', [
    ': boolean => exit_code === 0;',
    ': boolean => exit_code !== null;',
  ]),
  fault('the last check is skipped', narrowed(checks, []), 'policies/run/verification.ts', [
    'place >= (run.verify ?? []).length;',
    'place + 1 >= (run.verify ?? []).length;',
  ]),
  fault('a run that was checked is not recorded as checked', narrowed(checks, []), 'task.machine.ts', [
    "{guard: {type: 'isToBeVerified', params: outputIn}, target: 'verifying', actions: ended},",
    '',
  ]),
  fault('a job is not closed', narrowed(oneTask, []), 'engine.machine.ts', [
    "...byWish('closing', 'rememberEnd')],",
    "...byWish('releasing', 'rememberEnd')],",
  ]),
  fault('the lock is kept', narrowed(oneTask, []), 'engine.machine.ts', [
    "onDone: 'releasing',",
    "onDone: 'stopped',",
  ]),
  fault('a failed write is passed over', fullDisk, 'segment.machine.ts', [
    "{target: 'active', actions: [remembered, 'startAgent']},\n        ],\n        onError: {target: 'killing', actions: failed},",
    "{target: 'active', actions: [remembered, 'startAgent']},\n        ],\n        onError: {target: 'active', actions: 'startAgent'},",
  ]),
  ...lateFaults,
];
