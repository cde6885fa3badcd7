import {type CallbackLogicFunction, fromCallback} from 'xstate';
import type {CheckEnding, CheckRunner, RunningCheck} from '../../services/contracts/check-runner.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {ProcessIdentity} from '../../services/contracts/process.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Check} from '../policies/run/verification.ts';
import type {LiveAgents} from './agent.actor.ts';

export type CheckInput = {readonly run: RunRecord; readonly check: Check};
export type CheckOrder = {type: 'check.go'} | {type: 'check.interrupt'} | {type: 'check.kill'};
export type CheckReport =
  | {readonly type: 'check.held'; readonly identity: ProcessIdentity}
  | {readonly type: 'check.notStarted'}
  | {readonly type: 'check.exited'};

/** What a check left behind, by run: fetched when it is recorded, and never part of a machine's context. */
export type CheckEndings = Map<
  string,
  {readonly seconds: number} & ({readonly ending: CheckEnding} | {readonly reason: string})
>;

/** Adapts the check runner to the actor that `verificationMachine` invokes as `check`. */
export function defineCheckActor({
  checks,
  live,
  checkEndings,
  monotonicNow,
}: {
  checks: CheckRunner;
  live: LiveAgents;
  checkEndings: CheckEndings;
  monotonicNow: () => number;
}) {
  const logic: CallbackLogicFunction<CheckOrder, CheckReport, CheckInput> = ({input, receive, sendBack}) => {
    const {run, check} = input;
    const {run_id} = run;
    let process: RunningCheck | null = null;
    let isAbandoned = false;
    let startedAt = monotonicNow();
    const seconds = () => Math.round(monotonicNow() - startedAt) / 1000;

    const start = async () => {
      checkEndings.delete(run_id);
      try {
        process = await checks.launch({run, ...check});
      } catch (error) {
        checkEndings.set(run_id, {reason: messageOf(error), seconds: 0});
        sendBack({type: 'check.notStarted'});
        return;
      }
      live.set(run_id, process);
      if (isAbandoned) process.kill();
      sendBack({type: 'check.held', identity: process.identity});
      try {
        checkEndings.set(run_id, {ending: await process.ended, seconds: seconds()});
      } catch (error) {
        checkEndings.set(run_id, {
          reason: `it is not known how it ended: ${messageOf(error)}`,
          seconds: seconds(),
        });
      }
      sendBack({type: 'check.exited'});
    };
    void start();

    receive(({type}) => {
      if (type === 'check.go') {
        startedAt = monotonicNow();
        process?.go();
      } else if (type === 'check.interrupt') process?.interrupt();
      else process?.kill();
    });

    return () => {
      isAbandoned = true;
      // Never leaves a process behind; after a sweep there is none.
      if (live.has(run_id)) process?.kill();
    };
  };
  return fromCallback(logic);
}
