import {fromPromise} from 'xstate';
import type {AgentRequest} from '../../services/contracts/agent.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {requireTask} from '../policies/plan/plan-graph.ts';
import {checkPrompt} from '../policies/run/check-prompt.ts';
import {hasSession} from '../policies/run/verification.ts';
import {promptFor, requestFor} from './begin-run.ts';

/** The prompt about a failed check: for the agent's own session, or together with the whole task prompt. */
export function definePrepareRoundActor(services: Services) {
  return fromPromise<AgentRequest, {readonly run: RunRecord}>(async ({input: {run}}) => {
    const prompt = checkPrompt(run);
    const {choosesSession} = await services.agents.check(run.provider, 'edit');
    if (hasSession(run))
      return requestFor(services, {kind: 'resume', prompt, sessionRef: run.provider_session_ref});
    const plan = await services.plans.read();
    const task = requireTask(plan, run.task_id);
    const {runs} = await services.runs.list(run.task_id);
    const whole = await promptFor(services, {plan, task, runs});
    return requestFor(services, {
      kind: 'start',
      prompt: `${whole}\n\n${prompt}`,
      sessionRef: choosesSession ? services.newUuid() : null,
    });
  });
}
