// What a project says of itself on disk, read without a line of the product, and what must hold whenever nobody
// works in it.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';

export function readDisk(folder) {
  const own = (...parts) => path.join(folder, '.blackbird', ...parts);
  const plan = JSON.parse(readFileSync(path.join(folder, 'blackbird.plan.json'), 'utf8'));
  const records = namesIn(own('runs')).flatMap((task) =>
    namesIn(own('runs', task))
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .map((name) => ({file: own('runs', task, name), run: readJson(own('runs', task, name))})),
  );
  const runs = (id) =>
    records
      .flatMap(({run}) => (run.task_id === id ? [run] : []))
      .sort((first, second) => first.attempt - second.attempt);
  return {
    folder,
    plan,
    records,
    runs,
    latest: (id) => runs(id).at(-1),
    ids: () => Object.keys(plan.items),
    task: (id) => plan.items[id],
    status: (id) => plan.items[id]?.status,
    feedback: (id) => {
      const file = own('parent-review-feedback', `${id}.json`);
      return existsSync(file) ? readJson(file) : null;
    },
    /** Every file of ours that holds a record. */
    others: () =>
      ['jobs', 'plan-drafts', 'drafts', 'parent-review-feedback']
        .flatMap((name) => namesIn(own(name)).map((file) => own(name, file)))
        .filter((file) => file.endsWith('.json') && !path.basename(file).startsWith('.'))
        .map(readJson),
    sessions: () =>
      namesIn(own('demo-sessions')).flatMap((name) => /^([0-9a-f-]{36})\.json$/.exec(name)?.[1] ?? []),
    /** How often the agents of a task did what its prompt begins with. */
    times: (id) => {
      const file = path.join(folder, `${id}.log`);
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      return text.split('\n').filter((line) => line === id).length;
    },
  };
}

/** Everything that is wrong, in words. Throws where a record cannot even be read. */
export function wrongs(folder) {
  const disk = readDisk(folder);
  disk.others();
  return [
    ...recordWrongs(disk),
    ...planWrongs(disk),
    ...disk.ids().flatMap((id) => [...taskWrongs(disk, id), ...linkWrongs(disk, id)]),
    ...startWrongs(disk),
  ];
}

function recordWrongs({records}) {
  const running = records.filter(({run}) => run.state === 'running');
  const misnamed = records.filter(({file, run}) => path.basename(file) !== `${run.run_id}.json`);
  return [
    ...(running.length > 1 ? [`${running.map(({run}) => run.run_id).join(' and ')} say running`] : []),
    ...misnamed.map(({file, run}) => `${file} is the record of ${run.run_id}`),
    ...records
      .filter(({run}) => run.resumable && run.provider_session_ref === '')
      .map(({run}) => `${run.run_id} is resumable without a session`),
  ];
}

function planWrongs({plan, ids}) {
  const wrong = [];
  const items = plan.items;
  for (const id of ids()) {
    const {parentId, childIds, deps} = items[id];
    for (const other of [...childIds, ...deps, ...(parentId === null ? [] : [parentId])])
      if (!items[other]) wrong.push(`${id} names ${other}, which is not in the plan`);
    for (const child of childIds)
      if (items[child]?.parentId !== id) wrong.push(`${child} does not know its parent ${id}`);
    if (parentId !== null && !items[parentId]?.childIds.includes(id))
      wrong.push(`${parentId} does not know its child ${id}`);
  }
  return wrong;
}

/** Done means: its agent said so, its checks passed, and where it was asked for somebody approved. */
function taskWrongs({runs, status, task}, id) {
  const own = runs(id);
  const wrong = [];
  const attempts = own.map(({attempt}) => attempt);
  if (attempts.some((attempt, place) => attempt !== place + 1))
    wrong.push(`${id} has the attempts ${attempts.join(', ')}`);
  for (const run of own.slice(0, -1))
    if (run.state === 'running') wrong.push(`${run.run_id} is not the latest`);

  // What never began says nothing of its task.
  const hasBegun = ({state, segments}) =>
    segments.length > 0 || (state !== 'canceled' && state !== 'running');
  const last = own.findLast((run) => run.run_type === 'execute' && hasBegun(run));
  if (status(id) === 'done' && task(id).childIds.length === 0) {
    if (last?.state !== 'succeeded') wrong.push(`${id} is done, and its run is ${last?.state}`);
    for (const command of last?.verify ?? [])
      if (last.verifications?.findLast((each) => each.command === command)?.exit_code !== 0)
        wrong.push(`${id} is done without its check ${command}`);
    if (last?.decision_required && !/^approved_/.test(last.decision_state ?? ''))
      wrong.push(`${id} is done, and its decision is ${last.decision_state}`);
  }
  if (status(id) === 'done' && task(id).childIds.length > 0 && own.at(-1)?.parent_review_passed !== true)
    wrong.push(`${id} is done without a review that passed`);

  const told = own.flatMap(({state, context}) =>
    state === 'succeeded' ? (context?.parentReviewFeedback?.reviewRunId ?? []) : [],
  );
  if (new Set(told).size !== told.length) wrong.push(`${id} was told the same feedback twice`);
  return wrong;
}

/** Links lead to runs that are there, and never round. */
function linkWrongs({runs}, id) {
  const own = new Map(runs(id).map((run) => [run.run_id, run]));
  const wrong = [];
  for (const field of ['resumed_from_run_id', 'restart_of_run_id', 'superseded_by_run_id']) {
    for (const start of own.values()) {
      const seen = new Set();
      for (let run = start; run?.[field] !== undefined; run = own.get(run[field])) {
        if (!own.has(run[field])) wrong.push(`${run.run_id}: ${field} leads nowhere`);
        if (seen.has(run.run_id)) wrong.push(`${run.run_id}: ${field} leads round`);
        if (seen.has(run.run_id)) break;
        seen.add(run.run_id);
      }
    }
  }
  return wrong;
}

/** No agent worked that no record knows, and none did the same thing twice in one session. */
function startWrongs({records, sessions, times, ids, runs, others}) {
  const drafts = JSON.stringify(others());
  const known = new Set(records.map(({run}) => run.provider_session_ref));
  const unknown = sessions().filter((ref) => !known.has(ref) && !drafts.includes(ref));
  const twice = ids().filter((id) => {
    const own = new Set(runs(id).map(({provider_session_ref}) => provider_session_ref));
    return times(id) > own.size;
  });
  return [
    ...unknown.map((ref) => `session ${ref} was started and is in no record`),
    ...twice.map((id) => `${id} did its work more often than it has sessions`),
  ];
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read: ${error.message}`);
  }
}

function namesIn(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}
