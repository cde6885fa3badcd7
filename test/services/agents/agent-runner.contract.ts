import {describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/services/contracts/agent.ts';
import type {RunningAgent} from '../../../src/services/contracts/agent-process.ts';
import type {AgentEnding} from '../../../src/services/contracts/agent-runner.ts';

/** What an agent does once it is released. */
export type Scenario = {
  readonly session?: true;
  readonly result?: 'success' | 'failure';
  /** It runs until it is stopped. */
  readonly stays?: true;
  /** It keeps running although it is interrupted. */
  readonly isStubborn?: true;
};

export type AgentRunnerHarness = {
  readonly events: readonly AgentEvent[];
  launch(): Promise<RunningAgent<AgentEnding>>;
  sweep(): Promise<{readonly ended: number; readonly remaining: readonly number[]}>;
  /** Called with every event, before the next line is read. */
  onEvent: (event: AgentEvent) => void;
  /** Waits until the agent has printed it. */
  until(type: AgentEvent['type']): Promise<void>;
};

/** What the machines rely on, for every implementation of the runner. */
export function describeAgents(
  name: string,
  open: (scenario: Omit<Scenario, 'isStubborn'>) => Promise<Omit<AgentRunnerHarness, 'sweep'>>,
): void {
  describe(`${name}: an agent`, () => {
    test('prints nothing before go, and runs once', async () => {
      const {launch, events} = await open({session: true, result: 'success'});
      const agent = await launch();
      expect(events).toEqual([]);
      agent.go();
      agent.go();
      await agent.ended;
      expect(events.filter(({type}) => type === 'session')).toHaveLength(1);
    });

    test('that succeeds ends with success', async () => {
      const {launch} = await open({session: true, result: 'success'});
      const agent = await launch();
      agent.go();
      expect(await agent.ended).toMatchObject({exitCode: 0, signal: null, verdict: {outcome: 'succeeded'}});
    });

    test('that fails ends with a failure', async () => {
      const {launch} = await open({session: true, result: 'failure'});
      const agent = await launch();
      agent.go();
      expect((await agent.ended).verdict).toMatchObject({outcome: 'failed', failure: {kind: 'agent_error'}});
    });

    test('that exits without a result has failed', async () => {
      const {launch} = await open({session: true});
      const agent = await launch();
      agent.go();
      expect((await agent.ended).verdict.outcome).toBe('failed');
    });

    test.each(['interrupt', 'kill'] as const)(
      'that was not released is ended by %s and printed nothing',
      async (order) => {
        const {launch, events} = await open({session: true});
        const agent = await launch();
        agent[order]();
        expect((await agent.ended).verdict.outcome).toBe('failed');
        expect(events).toEqual([]);
      },
    );

    test('is not read while it is held, not even its end; then all of it arrives in order', async () => {
      const harness = await open({session: true, result: 'success'});
      const agent = await harness.launch();
      let isToldEnd = false;
      void agent.ended.then(() => {
        isToldEnd = true;
      });
      harness.onEvent = ({type}) => {
        if (type === 'session') agent.hold();
      };
      agent.go();
      await harness.until('session');
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect([harness.events.at(-1)?.type, isToldEnd]).toEqual(['session', false]);
      agent.readOn();
      expect((await agent.ended).verdict.outcome).toBe('succeeded');
      expect(harness.events.map(({type}) => type)).toContain('result');
    });

    test.each(['interrupt', 'kill', 'endEverything'] as const)(
      'that is held still ends, and its end is reported after %s',
      async (order) => {
        const harness = await open({session: true, stays: true});
        const agent = await harness.launch();
        harness.onEvent = ({type}) => {
          if (type === 'session') agent.hold();
        };
        agent.go();
        await harness.until('session');
        void agent[order]();
        // Too late: nothing would release it any more.
        agent.hold();
        expect((await agent.ended).verdict.outcome).toBe('failed');
      },
    );

    test('ends when it is interrupted', async () => {
      const {launch, until} = await open({session: true, stays: true});
      const agent = await launch();
      agent.go();
      await until('session');
      agent.interrupt();
      expect((await agent.ended).verdict.outcome).toBe('failed');
    });

    test('ends once: nothing after its end has an effect', async () => {
      const {launch, events} = await open({session: true, result: 'success'});
      const agent = await launch();
      agent.go();
      const ending = await agent.ended;
      const heard = events.length;
      agent.interrupt();
      agent.kill();
      agent.go();
      expect(await agent.endEverything()).toMatchObject({remaining: []});
      expect([await agent.ended, events.length]).toEqual([ending, heard]);
    });
  });
}

/** The same for agents that may be left behind or ignore signals. */
export function describeAgentRunner(
  name: string,
  open: (scenario: Scenario) => Promise<AgentRunnerHarness>,
): void {
  describeAgents(name, open);

  describe(`${name}: an agent`, () => {
    test('that ignores the interrupt ends when it is killed', async () => {
      const {launch, until} = await open({session: true, stays: true, isStubborn: true});
      const agent = await launch();
      agent.go();
      await until('session');
      agent.interrupt();
      agent.kill();
      expect(await agent.ended).toMatchObject({exitCode: null, signal: 'SIGKILL'});
    });

    test('that keeps running is gone after endEverything, and its end is known', async () => {
      const {launch, until} = await open({session: true, stays: true, isStubborn: true});
      const agent = await launch();
      agent.go();
      await until('session');
      expect((await agent.endEverything()).remaining).toEqual([]);
      expect(await agent.ended).toMatchObject({exitCode: null, signal: 'SIGKILL'});
      expect(await agent.endEverything()).toMatchObject({remaining: []});
    });

    test('that an earlier Blackbird left is ended by a sweep', async () => {
      const {launch, until, sweep} = await open({session: true, stays: true, isStubborn: true});
      const agent = await launch();
      agent.go();
      await until('session');
      const {ended, remaining} = await sweep();
      expect(remaining).toEqual([]);
      expect(ended).toBeGreaterThan(0);
      expect(await agent.ended).toMatchObject({signal: 'SIGKILL'});
      expect(await sweep()).toEqual({ended: 0, remaining: []});
    });
  });
}
