import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {resolveConfig} from '../../src/machines/policies/config-resolution.ts';
import {checkPlanChange, checkRawPlan} from '../../src/machines/policies/plan/plan-validation.ts';
import {createAgentSelection} from '../../src/services/agents/agent-selection.ts';
import {createConfigStore} from '../../src/services/config/config-store.ts';
import type {ProcessLock} from '../../src/services/contracts/lock.ts';
import {createLimitStore} from '../../src/services/limits/limit-store.ts';
import {createCommentStore} from '../../src/services/stores/comment-store.ts';
import {createDecisionInbox} from '../../src/services/stores/decision-inbox.ts';
import {createDraftStore} from '../../src/services/stores/draft-store.ts';
import {createFeedbackStore} from '../../src/services/stores/feedback-store.ts';
import {createJobStore} from '../../src/services/stores/job-store.ts';
import {createPlanDraftStore} from '../../src/services/stores/plan-draft-store.ts';
import {createPlanStore} from '../../src/services/stores/plan-store.ts';
import {createRunStore} from '../../src/services/stores/run-store.ts';
import {createWriteTrail} from '../../src/services/stores/write-trail.ts';

/** No other process is there. */
const freeLock: ProcessLock = {
  acquire: async () => ({acquired: true, lock: {release: async () => {}}}),
  holder: async () => null,
};

const recorded = path.join(import.meta.dirname, '../fixtures/upgrade/0.1.0');
const findRecorded = (pattern: RegExp): string => {
  const names = readdirSync(recorded, {recursive: true, encoding: 'utf8'}).sort();
  const name = names.find((each) => pattern.test(each));
  if (name === undefined) throw new Error(`nothing recorded is like ${pattern}`);
  return name;
};
const recordedText = (pattern: RegExp) => readFileSync(path.join(recorded, findRecorded(pattern)), 'utf8');
const runFile = findRecorded(/runs.question.[\w-]+\.json$/);
const runId = path.basename(runFile, '.json');
const jobFile = findRecorded(/jobs.[\w-]+\.json$/);
const jobId = path.basename(jobFile, '.json');
const at = '2026-01-01T00:00:00.000Z';

type Opened = {
  /** Everything that reads it. The answer does not matter, only that there is one. */
  readonly read: () => Promise<unknown>;
  /** A change as users and machines make it; it may be refused. */
  readonly change: () => Promise<unknown>;
};
export type Kept = {
  readonly name: string;
  readonly file: string;
  readonly sample: string;
  readonly open: (folder: string) => Opened;
  /** It can be regenerated, so an unreadable one may be replaced or deleted. */
  readonly isReplaceable?: true;
};

export const kept: readonly Kept[] = [
  {
    name: 'the plan',
    file: 'blackbird.plan.json',
    sample: recordedText(/^blackbird\.plan\.json$/),
    open: (folder) => {
      const file = path.join(folder, 'blackbird.plan.json');
      const store = createPlanStore({
        file,
        lock: async () => freeLock,
        rules: {check: checkRawPlan, checkChange: checkPlanChange},
      });
      return {
        read: async () => [await store.inspect(), await store.read()],
        change: () =>
          store.update((plan) => {
            const [first] = plan.items.values();
            if (!first) return plan;
            return {...plan, items: new Map(plan.items).set(first.id, {...first, title: 'changed'})};
          }),
      };
    },
  },
  {
    name: 'the record of a run',
    file: runFile,
    sample: recordedText(/runs.question.[\w-]+\.json$/),
    open: (folder) => {
      const store = createRunStore({folder: path.join(folder, '.blackbird/runs')});
      return {
        read: async () => [
          await store.runningTaskIds(),
          await store.list('question'),
          await store.latest('question'),
        ],
        change: () => store.update('question', runId, (run) => ({...run, result: 'changed'})),
      };
    },
  },
  {
    name: 'the record of a run that says running',
    file: runFile,
    sample: recordedText(/runs.question.[\w-]+\.json$/).replace('"state": "waiting"', '"state": "running"'),
    open: (folder) => {
      const store = createRunStore({folder: path.join(folder, '.blackbird/runs')});
      return {
        read: async () => [await store.runningTaskIds(), await store.list('question')],
        change: () => store.update('question', runId, (run) => ({...run, state: 'paused'})),
      };
    },
  },
  {
    name: 'the record of a job',
    file: jobFile,
    sample: recordedText(/jobs.[\w-]+\.json$/),
    open: (folder) => {
      const store = createJobStore({folder: path.join(folder, '.blackbird/jobs')});
      return {
        read: async () => [store.ids(), await store.read(jobId)],
        change: async () => {
          const job = await store.read(jobId);
          if (job) await store.close({...job, agent: 'changed'});
        },
      };
    },
  },
  {
    name: 'the settings',
    file: '.blackbird/config.json',
    sample: `${JSON.stringify({
      schemaVersion: 1,
      execution: {stopAfterEachTask: true, verify: ['npm test'], maxCostUsd: 2.5, retries: 2},
      hooks: {needsYou: 'true'},
      claude: {model: 'opus'},
    })}\n`,
    open: (folder) => {
      const store = createConfigStore({
        project: path.join(folder, '.blackbird/config.json'),
        global: path.join(folder, 'none.json'),
      });
      return {
        read: async () => resolveConfig(await store.layers()),
        change: () => store.write('project', 'execution.stopOnFailure', true),
      };
    },
  },
  {
    name: 'the chosen agent',
    file: '.blackbird/agent.json',
    sample: recordedText(/agent\.json$/),
    open: (folder) => {
      const selection = createAgentSelection(path.join(folder, '.blackbird/agent.json'));
      return {read: () => selection.read(), change: () => selection.save('codex')};
    },
  },
  {
    name: 'feedback of a parent review',
    file: '.blackbird/parent-review-feedback/a.json',
    sample: JSON.stringify({
      schemaVersion: 1,
      childTaskId: 'a',
      parentTaskId: 'p',
      reviewRunId: 'p-1',
      feedback: 'again',
      createdAt: at,
      updatedAt: at,
    }),
    open: (folder) => {
      const store = createFeedbackStore({folder: path.join(folder, '.blackbird/parent-review-feedback')});
      return {
        read: async () => [await store.list(), await store.read('a')],
        change: async () => {
          const found = await store.read('a');
          if (found) await store.save({...found, feedback: 'changed'});
        },
      };
    },
  },
  {
    name: 'a draft of an answer',
    file: '.blackbird/drafts/a.answers.json',
    sample: JSON.stringify({
      schemaVersion: 1,
      kind: 'answers',
      taskId: 'a',
      runId: 'a-1',
      texts: [{id: 'q', prompt: 'Which?', text: 'this'}],
      updatedAt: at,
    }),
    open: (folder) => {
      const store = createDraftStore({folder: path.join(folder, '.blackbird/drafts')});
      const place = {kind: 'answers', taskId: 'a', runId: 'a-1'} as const;
      return {
        read: async () => [await store.all(), await store.read(place)],
        change: async () => {
          const found = await store.read(place);
          if (found) await store.save(found);
        },
      };
    },
  },
  {
    name: 'a comment on a line',
    file: '.blackbird/runs/a/a-1.comments/c1.json',
    sample: JSON.stringify({
      schema_version: 1,
      id: 'c1',
      task_id: 'a',
      run_id: 'a-1',
      file: 'src/a.ts',
      line: 3,
      side: 'new',
      text: 'why?',
      created_at: at,
      updated_at: at,
    }),
    open: (folder) => {
      const store = createCommentStore({folder: path.join(folder, '.blackbird/runs')});
      const run = {task_id: 'a', run_id: 'a-1'};
      return {
        read: () => store.list(run),
        change: async () => {
          const [found] = await store.list(run);
          if (found) await store.save({...found, text: 'changed'});
        },
      };
    },
  },
  {
    name: 'a draft of a plan',
    file: '.blackbird/plan-drafts/d1.json',
    sample: JSON.stringify({
      schemaVersion: 1,
      draftId: 'd1',
      kind: 'generate',
      text: 'a page',
      taskIds: [],
      createdAt: at,
      updatedAt: at,
      saying: {type: 'start', lines: []},
      questions: [],
      answers: [],
      revisions: [],
      rounds: {questions: 0, corrections: 0, refinements: 0},
      base: [],
      operations: null,
      isEdited: false,
    }),
    open: (folder) => {
      const store = createPlanDraftStore({folder: path.join(folder, '.blackbird/plan-drafts')});
      return {
        read: async () => [await store.list(), await store.read('d1')],
        change: async () => {
          const found = await store.read('d1');
          if (found) await store.save(found);
        },
      };
    },
  },
  {
    name: 'the limits of accounts',
    file: 'home/limits.json',
    sample: JSON.stringify({
      schemaVersion: 1,
      limits: [{provider: 'codex', account: 'x', until: at, source: 'provider', seenAt: at}],
    }),
    open: (folder) => {
      const store = createLimitStore({
        file: path.join(folder, 'home/limits.json'),
        accountOf: () => 'x',
        onWarning: () => {},
      });
      return {
        read: () => store.read('codex'),
        change: () => store.clear('codex', '2026-02-01T00:00:00.000Z'),
      };
    },
  },
  {
    name: 'a posted decision',
    file: '.blackbird/runs/a/a-1.decision',
    sample: JSON.stringify({
      schema_version: 1,
      id: 'x',
      task_id: 'a',
      run_id: 'a-1',
      posted_by: null,
      decision: {state: 'approved_quit'},
    }),
    isReplaceable: true,
    open: (folder) => {
      const inbox = createDecisionInbox({
        folder: path.join(folder, '.blackbird/runs'),
        livenessOf: () => 'alive',
      });
      const run = {task_id: 'a', run_id: 'a-1'};
      return {
        read: async () => inbox.look({...run, id: 'x'} as Parameters<typeof inbox.look>[0]),
        change: async () => inbox.discard(run),
      };
    },
  },
  {
    name: 'the trail of the plan',
    file: '.blackbird/plan.writes',
    sample: JSON.stringify('a b\nb c\nc d\n'),
    isReplaceable: true,
    open: (folder) => {
      const trail = createWriteTrail(path.join(folder, '.blackbird/plan.writes'));
      return {read: async () => trail.leads('a', 'd'), change: async () => trail.note('d', 'e')};
    },
  },
];
