import {describe, expect, test} from 'vitest';
import {isSessionStored} from '../../../src/machines/policies/run/run-step.ts';

describe('a session is stored', () => {
  test.each([
    {
      name: 'never, when it was not seen',
      sessionSeenAt: null,
      hasLaterLine: true,
      killedAt: null,
      stored: false,
    },
    {
      name: 'when the agent was not killed',
      sessionSeenAt: 0,
      hasLaterLine: false,
      killedAt: null,
      stored: true,
    },
    {
      name: 'when output followed it',
      sessionSeenAt: 0,
      hasLaterLine: true,
      killedAt: 1,
      stored: true,
    },
    {
      name: 'not within a second',
      sessionSeenAt: 500,
      hasLaterLine: false,
      killedAt: 1_499,
      stored: false,
    },
    {name: 'a second later', sessionSeenAt: 500, hasLaterLine: false, killedAt: 1_500, stored: true},
    {name: 'not before it', sessionSeenAt: 500, hasLaterLine: false, killedAt: 100, stored: false},
  ])('$name', ({stored, ...facts}) => {
    expect(isSessionStored(facts)).toBe(stored);
  });
});
