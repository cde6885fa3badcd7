import type {DecisionInbox, PostedDecision} from '../../src/services/contracts/decision-inbox.ts';

/** Two terminals in one process: watchers are notified at once. */
export function createMemoryInbox(): DecisionInbox {
  const open = new Map<string, PostedDecision>();
  const taken = new Map<string, PostedDecision>();
  const watchers = new Map<string, (posted: PostedDecision) => void>();
  const offer = (runId: string) => {
    const [watcher, posted] = [watchers.get(runId), open.get(runId)];
    if (!watcher || !posted) return;
    watchers.delete(runId);
    open.delete(runId);
    taken.set(runId, posted);
    watcher(posted);
  };
  return {
    post: async (posted) => {
      if (open.has(posted.run_id)) return false;
      open.set(posted.run_id, posted);
      queueMicrotask(() => offer(posted.run_id));
      return true;
    },
    look: ({run_id, id}) =>
      open.get(run_id)?.id === id ? 'open' : taken.get(run_id)?.id === id ? 'taken' : 'gone',
    retract: ({run_id, id}) => open.get(run_id)?.id === id && open.delete(run_id),
    forget: ({run_id}) => void taken.delete(run_id),
    discard: ({run_id}) => open.delete(run_id),
    watch: ({run_id}, onTaken) => {
      taken.delete(run_id);
      watchers.set(run_id, onTaken);
      queueMicrotask(() => offer(run_id));
      return () => void (watchers.get(run_id) === onTaken && watchers.delete(run_id));
    },
  };
}
