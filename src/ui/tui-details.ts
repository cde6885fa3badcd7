import type {TaskDiff} from '../machines/actors/task-change.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {type DiffView, diffContent, viewFor, withContent} from './diff/diff-view.ts';
import {detailKey} from './model/detail.ts';
import {messageLines} from './model/error-lines.ts';
import type {Detail} from './model/facts.ts';
import type {TuiPorts} from './ports.ts';
import type {Store} from './store.ts';
import type {TuiCore} from './tui-core.ts';

/** Tasks that are only passed over are not fetched. */
const debounceMilliseconds = 80;

/** Fetches what the open tab shows: the log of a run, its change, the history of a task. */
export function createDetails(core: TuiCore, ports: TuiPorts, clock: Store<number>) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let wanted = '';

  /** For the others only the position is kept: a change may be large. */
  const keepDiff = (run: RunRecord, diff: TaskDiff) => {
    const {diffs} = core.get();
    const others = [...diffs].map(([id, each]): [string, DiffView] => [id, {...each, content: null}]);
    const view = withContent(viewFor(diffs, run), diffContent(diff));
    core.patch({diffs: new Map(others).set(run.run_id, view)});
  };

  const load = async (key: string): Promise<void> => {
    const {shownRun: run, task} = core.facts();
    const {browse} = core.get();
    if (!task) return;
    const found = await fetchDetail().catch((error: unknown) => ({
      type: 'failed' as const,
      ...messageLines(error),
    }));
    // Another task was selected in the meantime.
    if (wanted === key && found) core.patch({detail: {key, ...found} as Detail});

    async function fetchDetail() {
      if (browse.tab === 'history' && task) {
        return {type: 'history' as const, ...(await ports.history(task.id))};
      }
      if (!run) return null;
      if (browse.tab === 'diff') {
        const [diff, known] = await Promise.all([ports.diff(run), ports.comments.list(run)]);
        const unsent = known.filter(({sentWith}) => sentWith === null);
        keepDiff(run, diff);
        return {type: 'diff' as const, comments: unsent.map(({comment}) => comment)};
      }
      if (browse.isRaw) return {type: 'transcript' as const, ...(await ports.transcript(run))};
      return {type: 'conversation' as const, ...(await ports.conversation(run))};
    }
  };

  const follow = () => {
    const key = detailKey(core.get(), core.facts(), clock.get());
    if (key === wanted) return;
    wanted = key;
    if (timer) clearTimeout(timer);
    timer = key === '' ? null : setTimeout(() => void load(key), debounceMilliseconds);
  };
  const ignoreClock = clock.subscribe(follow);
  return {
    /** Called after every change; fetches only if something else is to be shown. */
    follow,
    stop: () => {
      ignoreClock();
      if (timer) clearTimeout(timer);
    },
  };
}
