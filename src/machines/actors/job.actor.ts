import {fromPromise} from 'xstate';
import type {ProjectLock} from '../../services/contracts/project.ts';
import type {Services} from '../../services/contracts/services.ts';
import {resolveConfig} from '../policies/config-resolution.ts';
import {type CallRules, callRules} from '../policies/job/job-calls.ts';
import {type JobOptions, type JobRules, jobRules} from '../policies/job/job-steps.ts';

/** Settings and agent as they are when a job begins; they hold until it ends. */
export function defineResolveJobActor(
  {settings, chooseAgent}: Pick<Services, 'settings' | 'chooseAgent'>,
  onWarning: (message: string) => void,
  onResolved: (rules: CallRules) => void,
) {
  return fromPromise<JobRules, {readonly options: JobOptions}>(async ({input: {options}}) => {
    const [layers, choice] = await Promise.all([settings(), chooseAgent(options.agent)]);
    const config = resolveConfig(layers);
    const rules = jobRules(config, choice, options);
    for (const warning of config.warnings) onWarning(warning);
    onResolved(callRules(config));
    return rules;
  });
}

export const defineAcquireLockActor = (lock: ProjectLock) => fromPromise<void, void>(() => lock.acquire());

export const defineReleaseLockActor = (lock: ProjectLock) => fromPromise<void, void>(() => lock.release());
