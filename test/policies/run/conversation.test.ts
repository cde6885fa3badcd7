import {describe, expect, test} from 'vitest';
import {
  conversationOf,
  type LogEvent,
  renderMessage,
  resumeMessages,
  wordsAround,
} from '../../../src/machines/policies/run/conversation.ts';
import {pausedWords} from '../../../src/machines/policies/run/pause-words.ts';
import type {AgentEvent} from '../../../src/services/contracts/agent.ts';
import {runRecord} from '../../fakes/runs.ts';

const fenced = (json: unknown) => `\`\`\`json\n${JSON.stringify(json, null, 2)}\n\`\`\``;
const asks = {
  blackbird: {questions: [{id: 'db', prompt: 'Which database?', options: ['postgres', 'sqlite']}]},
};
const passed = {passed: true, resumeTaskIds: [], feedbackForResume: 'Tidy up later.', reviewResults: []};

describe('what an agent says', () => {
  test.each([
    [
      'prose stays as it is',
      'Done.\nAll 14 tests pass.',
      [{kind: 'message', text: 'Done.\nAll 14 tests pass.'}],
    ],
    ['blank text is nothing', ' \n ', []],
    [
      'a block that asks is a question with its options',
      `I have to know.\n${fenced(asks)}`,
      [
        {kind: 'message', text: 'I have to know.'},
        {kind: 'question', text: 'Which database?'},
        {kind: 'option', text: '1 postgres'},
        {kind: 'option', text: '2 sqlite'},
      ],
    ],
    [
      'so is a call of the question tool on its own line',
      'Hm.\n{"tool":"AskUserQuestion","id":"a","prompt":"Why?"}',
      [
        {kind: 'message', text: 'Hm.'},
        {kind: 'question', text: 'Why?'},
      ],
    ],
    ['other JSON is kept', fenced({passed: true}), [{kind: 'message', text: fenced({passed: true})}]],
  ])('%s', (_, text, said) => {
    expect(renderMessage(text, 'execute')).toEqual(said);
  });

  test('the text around its questions is what the user reads before them', () => {
    expect(wordsAround(`Before I go on:\n${fenced(asks)}`)).toBe('Before I go on:');
    expect([wordsAround(fenced(asks)), wordsAround(undefined)]).toEqual(['', '']);
  });

  test('the verdict of a reviewer is shown in words', () => {
    expect(renderMessage(`I looked.\n${fenced(passed)}`, 'review')).toEqual([
      {kind: 'message', text: 'I looked.'},
      {kind: 'verdict', text: '✓ passed'},
      {kind: 'message', text: 'Tidy up later.'},
    ]);
    const sentBack = {
      passed: false,
      resumeTaskIds: ['a'],
      feedbackForResume: '',
      reviewResults: [
        {taskId: 'a', status: 'failed', feedback: 'Use cents.'},
        {taskId: 'b', status: 'passed', feedback: ''},
      ],
    };
    expect(renderMessage(JSON.stringify(sentBack), 'review')).toEqual([
      {kind: 'verdict', text: '↩ not passed'},
      {kind: 'verdict', text: '↩ a: Use cents.'},
      {kind: 'verdict', text: '✓ b'},
    ]);
  });
});

const at = (second: number) => `2026-01-02T12:00:${String(second).padStart(2, '0')}.000Z`;
const millis = (second: number) => Date.parse(at(second));
const segment = (second: number) => ({
  pid: 1,
  start_time: '',
  boot_id: '',
  pid_namespace: '',
  host: '',
  argv: [],
  started_at: at(second),
});
const heard = (second: number | null, ...events: readonly AgentEvent[]): LogEvent[] =>
  events.map((event) => ({at: second === null ? null : millis(second), event}));
const session: AgentEvent = {type: 'session', ref: 'r'};
const message = (text: string): AgentEvent => ({type: 'message', text});

describe('the conversation of a run', () => {
  test('asked, answered, paused and resumed: each with its time, the user as "you"', () => {
    const run = runRecord({
      state: 'succeeded',
      segments: [segment(0), segment(20), segment(40)],
      answers: [{id: 'db', prompt: 'Which database?', value: 'sqlite'}],
      pauses: [{paused_at: at(30), pause_reason: 'user_interrupt', resumed_at: at(40)}],
      decision_state: 'changes_requested',
      decision_feedback: 'Use cents.',
      decision_resolved_at: at(55),
    });
    const log = [
      ...heard(1, session, {type: 'activity', activity: {kind: 'read', text: 'read a.ts'}}),
      ...heard(5, message(fenced(asks))),
      ...heard(21, session, message('Then sqlite.')),
      // The first line of a message is also an activity; it is shown once.
      ...heard(22, {type: 'activity', activity: {kind: 'message', text: 'Then sqlite.'}}),
      ...heard(41, session, message('Done.')),
    ];
    expect(conversationOf(run, log)).toEqual([
      {at: millis(1), kind: 'read', text: 'read a.ts'},
      {at: millis(5), kind: 'question', text: 'Which database?'},
      {at: millis(5), kind: 'option', text: '1 postgres'},
      {at: millis(5), kind: 'option', text: '2 sqlite'},
      {at: millis(20), kind: 'you', text: 'sqlite'},
      {at: millis(21), kind: 'message', text: 'Then sqlite.'},
      {at: millis(30), kind: 'mark', text: 'Ⅱ paused (by you)'},
      {at: millis(40), kind: 'you', text: 'go on'},
      {at: millis(41), kind: 'message', text: 'Done.'},
      {at: millis(55), kind: 'you', text: 'request changes: Use cents.'},
    ]);
  });

  test('a log without times has those of its segments, with feedback where it was given', () => {
    const run = runRecord({
      state: 'failed',
      segments: [segment(0)],
      resumed_from_run_id: 'a-1',
      feedback: 'Use cents.',
      updated_at: at(9),
      failure: {kind: 'agent_error', message: 'gave up'},
    });
    expect(conversationOf(run, heard(null, session, message('I tried.')))).toEqual([
      {at: millis(0), kind: 'you', text: 'Use cents.'},
      {at: millis(0), kind: 'message', text: 'I tried.'},
      {at: millis(9), kind: 'notice', text: 'failed (agent_error): gave up'},
    ]);
  });

  test('an end keeps its time when the record changes later, and a withdrawn approval stays', () => {
    const run = runRecord({
      state: 'failed',
      segments: [{...segment(0), ended_at: at(9)}],
      updated_at: at(50),
      failure: {kind: 'rejected', message: 'rejected at the checkpoint: no'},
      decision_history: [
        {decision_state: 'approved_quit', decision_resolved_at: at(20), withdrawn_at: at(25)},
      ],
      decision_state: 'rejected',
      decision_feedback: 'no',
      decision_resolved_at: at(30),
    });
    expect(conversationOf(run, [])).toEqual([
      {at: millis(20), kind: 'you', text: 'approved, and stop'},
      {at: millis(25), kind: 'you', text: 'withdrew the approval'},
      {at: millis(30), kind: 'notice', text: 'failed (rejected): rejected at the checkpoint: no'},
      {at: millis(30), kind: 'you', text: 'rejected: no'},
    ]);
    const failed = runRecord({
      state: 'failed',
      segments: [{...segment(0), ended_at: at(9)}],
      updated_at: at(50),
      failure: {kind: 'agent_error', message: 'gave up'},
    });
    expect(conversationOf(failed, [])).toMatchObject([{at: millis(9)}]);
  });

  test('a limit is shown once: by the agent, and as a pause', () => {
    const run = runRecord({
      state: 'paused',
      segments: [{...segment(0), ended_at: at(9)}],
      pauses: [{paused_at: at(9), pause_reason: 'usage_limit'}],
      failure: {kind: 'rate_limit', message: 'You hit your limit.'},
    });
    const log = heard(8, session, {
      type: 'activity',
      activity: {kind: 'notice', text: 'You hit your limit.'},
    });
    const mark = {at: millis(9), kind: 'mark', text: 'Ⅱ paused (usage limit)'};
    expect(conversationOf(run, log).slice(-2)).toEqual([
      {at: millis(8), kind: 'notice', text: 'You hit your limit.'},
      mark,
    ]);
    expect(conversationOf(run, heard(8, session)).slice(-2)).toEqual([
      mark,
      {at: millis(9), kind: 'notice', text: 'You hit your limit.'},
    ]);
  });

  test('a verdict and its dismissal', () => {
    const run = runRecord({
      run_type: 'review',
      state: 'succeeded',
      segments: [segment(0)],
      parent_review_passed: false,
      parent_review_dismissed: [{task_id: 'a', dismissed_at: at(30), dismissed_by: 'kim'}],
    });
    const verdict = {passed: false, resumeTaskIds: ['a'], feedbackForResume: 'Use cents.', reviewResults: []};
    expect(conversationOf(run, heard(1, session, message(JSON.stringify(verdict))))).toEqual([
      {at: millis(1), kind: 'verdict', text: '↩ not passed'},
      {at: millis(1), kind: 'message', text: 'Use cents.'},
      {at: millis(30), kind: 'you', text: 'dismissed the feedback for a'},
    ]);
  });

  test.each(['usage_limit', 'provider_unavailable', 'stalled'] as const)(
    'after a pause by %s only Blackbird asked to continue',
    (pause_reason) => {
      const run = runRecord({
        state: 'succeeded',
        segments: [segment(0), segment(20), segment(40)],
        pauses: [
          {paused_at: at(10), pause_reason, resumed_at: at(20)},
          {paused_at: at(30), pause_reason: 'user_interrupt', resumed_at: at(40)},
        ],
      });
      const talk = conversationOf(run, heard(null, session, session, session));
      expect(talk.map(({kind, text}) => `${kind} ${text}`)).toEqual([
        `mark Ⅱ ${pausedWords(pause_reason)}`,
        'mark ▶ Blackbird continues',
        'mark Ⅱ paused (by you)',
        'you go on',
      ]);
      const stood = {state: 'paused', pause_reason} as const;
      expect(resumeMessages(runRecord({stood}))).toEqual([{kind: 'mark', text: '▶ Blackbird continues'}]);
    },
  );

  test.each([
    {name: 'another job is started by hand', jobs: ['j-1', 'j-2'], said: 'you go on'},
    {
      name: 'the job that waited continues by itself',
      jobs: ['j-1', 'j-1'],
      said: 'mark ▶ Blackbird continues',
    },
  ])('after a limit $name', ({jobs, said}) => {
    const segments = jobs.map((job_id, place) => ({...segment(place * 20), job_id}));
    const pauses = [{paused_at: at(10), pause_reason: 'usage_limit' as const, resumed_at: at(20)}];
    const run = runRecord({state: 'succeeded', segments, pauses});
    const talk = conversationOf(run, heard(null, session, session));
    expect(talk.map(({kind, text}) => `${kind} ${text}`)).toEqual(['mark Ⅱ paused (usage limit)', said]);
    const stood = {state: 'paused', pause_reason: 'usage_limit'} as const;
    const [first] = segments.map((each) => ({...each, ended_at: at(10)}));
    const begun = runRecord({stood, segments: first ? [first] : [], job_id: jobs[1]});
    expect(resumeMessages(begun).map(({kind, text}) => `${kind} ${text}`)).toEqual([said]);
  });

  test('in a log whose beginning is missing, the last session is that of the last segment', () => {
    const run = runRecord({state: 'succeeded', segments: [segment(0), segment(20)]});
    expect(conversationOf(run, heard(null, session))).toEqual([{at: millis(20), kind: 'you', text: 'go on'}]);
  });
});

describe('what a run continues with', () => {
  test.each([
    ['the answers its agent has not received', {stood: {state: 'waiting', answered: 1}}, ['new']],
    ['feedback', {stood: {state: 'paused'}, feedback: 'Use cents.'}, ['Use cents.']],
    ['only the request to continue', {stood: {state: 'paused'}}, ['go on']],
    ['a first start has no message', {}, []],
  ] as const)('%s', (_, fields, said) => {
    const answers = [
      {id: 'a', value: 'old'},
      {id: 'b', value: 'new'},
    ];
    const run = runRecord({...fields, answers});
    expect(resumeMessages(run)).toEqual(said.map((text) => ({kind: 'you', text})));
  });
});
