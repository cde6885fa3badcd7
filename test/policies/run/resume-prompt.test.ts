import {describe, expect, test} from 'vitest';
import {
  answersPrompt,
  continuePrompt,
  feedbackPrompt,
} from '../../../src/machines/policies/run/agent-prompt.ts';
import {
  answersFor,
  feedbackFor,
  resumeRequestFor,
  unaskedAnswer,
} from '../../../src/machines/policies/run/resume-prompt.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import {pausedRun, question, restingRun, sessionRef, waitingRun} from '../../fakes/runs.ts';
import {errorOf, seen} from '../../helpers/errors.ts';

const files = ['src/a.ts'];
const answer = {id: 'color', value: 'red'};
const nothing = {answers: [], feedback: null};
const ended = restingRun({state: 'succeeded', provider_session_ref: sessionRef, resumable: true});

test('an undelivered answer to an earlier question is sent with a resume without feedback', () => {
  const kept = {answers: [{id: 'color', value: 'blue'}]};
  for (const run of [null, pausedRun(), restingRun({state: 'succeeded', ...kept})])
    expect(seen(unaskedAnswer(answer, run))).toEqual({
      code: 'E_USAGE',
      message: 'no question is called "color": nothing is asked',
      details: [],
      next: run === null ? [] : [{command: 'blackbird show a', why: 'see its state'}],
    });
  expect(unaskedAnswer({id: 'size', value: '9'}, waitingRun(kept))).toMatchObject({
    message: 'no question is called "size": it asks "color"',
    next: [{command: "blackbird resume a --answer 'color=…'"}],
  });
  for (const run of [pausedRun(kept), restingRun({state: 'running', ...kept})])
    expect(seen(unaskedAnswer(answer, run))).toEqual({
      code: 'E_USAGE',
      message: '"color" is answered already, with "blue"',
      details: [],
      next: [{command: 'blackbird resume a', why: 'continue with this answer'}],
    });
});

describe('feedback', () => {
  const rows: ReadonlyArray<{
    name: string;
    run: RunRecord;
    feedback: string | null;
    said: {feedback?: string};
  }> = [
    {name: 'none', run: pausedRun({feedback: 'old'}), feedback: null, said: {}},
    {
      name: 'for a run that ended',
      run: {...ended, feedback: 'old'},
      feedback: 'new',
      said: {feedback: 'new'},
    },
    {name: 'for a paused run', run: pausedRun(), feedback: 'new', said: {feedback: 'new'}},
    {
      name: 'for a run that received the other before it asked',
      run: waitingRun({feedback: 'old'}),
      feedback: 'new',
      said: {feedback: 'new'},
    },
    {
      name: 'for a run that asked and never received the other comes after it',
      run: waitingRun({feedback: 'old', feedback_undelivered: true}),
      feedback: 'new',
      said: {feedback: 'old\n\nnew'},
    },
    {
      name: 'for a run that was paused with other feedback comes after it',
      run: pausedRun({feedback: 'old'}),
      feedback: 'new',
      said: {feedback: 'old\n\nnew'},
    },
  ];
  test.each(rows)('$name', ({run, feedback, said}) => {
    expect(feedbackFor(run, feedback)).toEqual(said);
  });
});

describe('an agent is told', () => {
  test.each([
    {
      name: 'feedback, with the files, after its run ended',
      run: ended,
      said: {...nothing, feedback: 'use tabs'},
      prompt: feedbackPrompt('use tabs', files),
    },
    {
      name: 'feedback together with the answers to its questions',
      run: waitingRun(),
      said: {answers: [answer], feedback: 'use tabs'},
      prompt: feedbackPrompt('use tabs', files, [question], [answer]),
    },
    {
      name: 'answers that were not delivered, together with feedback',
      run: waitingRun({answers: [{...answer, undelivered: true}]}),
      said: {...nothing, feedback: 'use tabs'},
      prompt: feedbackPrompt('use tabs', files, [question], [answer]),
    },
    {
      name: 'answers it may not have received before a pause, together with feedback',
      run: pausedRun({questions: [question], answers: [answer]}),
      said: {...nothing, feedback: 'use tabs'},
      prompt: feedbackPrompt('use tabs', files, [question], [answer]),
    },
    {
      name: 'no answer to a question of an earlier round',
      run: pausedRun({questions: [question], answers: [{...answer, prompt: 'Which paint?'}]}),
      said: nothing,
      prompt: continuePrompt(),
    },
    {
      name: 'feedback that was not delivered, together with the answers to its questions',
      run: waitingRun({feedback: 'use tabs', feedback_undelivered: true}),
      said: {...nothing, answers: [answer]},
      prompt: answersPrompt([question], [answer], 'use tabs'),
    },
    {
      name: 'feedback that it received before it asked only once',
      run: waitingRun({feedback: 'use tabs'}),
      said: {...nothing, answers: [answer]},
      prompt: answersPrompt([question], [answer]),
    },
    {name: 'to continue after a pause', run: pausedRun(), said: nothing, prompt: continuePrompt()},
    {
      name: 'again what it may not have received before a pause',
      run: pausedRun({questions: [question], answers: [answer], feedback: 'use tabs'}),
      said: nothing,
      prompt: continuePrompt([question], [answer], 'use tabs'),
    },
    {
      name: 'the answers to its questions',
      run: waitingRun(),
      said: {...nothing, answers: [answer]},
      prompt: answersPrompt([question], [answer]),
    },
  ])('$name, in its session', ({run, said, prompt}) => {
    expect(resumeRequestFor(run, said, files)).toEqual({kind: 'resume', sessionRef, prompt});
  });

  test('everything again when it has no session, with questions of earlier rounds told apart', () => {
    const earlier = {id: 'color', value: 'blue', prompt: 'Which color was it?'};
    const run = waitingRun({provider_session_ref: '', answers: [earlier, {id: 'size', value: '2'}]});
    const before = [
      {id: '0 color', value: 'blue', prompt: 'Which color was it?'},
      {id: '1 size', value: '2', prompt: 'size'},
    ];
    expect(resumeRequestFor(run, {...nothing, answers: [answer]}, files)).toEqual({
      kind: 'start',
      questions: [...before, question],
      answers: [...before, answer],
    });
  });
});

test.each([
  {name: 'none', answers: []},
  {name: 'an empty answer', answers: [{id: 'color', value: '  '}]},
  {name: 'an answer to another question', answers: [{id: 'size', value: '2'}]},
])('a question needs an answer; $name is refused with the command to give it', ({answers}) => {
  expect(seen(errorOf(() => resumeRequestFor(waitingRun(), {...nothing, answers}, files)))).toEqual({
    code: 'E_NO_INPUT',
    message: 'a waits for answers: color',
    details: [['color', 'Which color? (red | blue)']],
    next: [{command: "blackbird resume a --answer 'color=…'"}],
  });
});

test('an answer that was not delivered is sent again, unless it is replaced', () => {
  const undelivered = {id: 'color', value: 'red', undelivered: true};
  expect(answersFor(waitingRun({answers: [undelivered]}), [])).toEqual([{id: 'color', value: 'red'}]);
  expect(answersFor(waitingRun({answers: [undelivered]}), [{id: 'color', value: 'blue'}])).toEqual([
    {id: 'color', value: 'blue'},
  ]);
});
