import {randomBytes} from 'node:crypto';
import type {Command} from 'commander';
import {sessionName} from '../../machines/policies/session/session-names.ts';
import {inListOrder} from '../../machines/policies/session/session-refs.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {SessionPort, SessionRow} from '../../ui/ports.ts';
import type {Cli} from '../cli.ts';
import {cleanRun, commitsAre} from '../session/session-clean.ts';
import {openSessions, withoutInterruption} from '../session/session-composition.ts';
import {createRun} from '../session/session-start.ts';
import {killSession, stopSession} from '../session/session-stop.ts';
import {type SessionView, viewsOf} from '../session/session-view.ts';

/** The TUI's sessions: the operations of the session commands, with their refusals. */
export function createSessionPort(cli: Cli, command: Command): SessionPort {
  const open = () => openSessions(cli, command);
  const show = async (id: string, detached: boolean): Promise<readonly string[]> => {
    const {openSession} = await import('../../machines/session.ts');
    const {ports, terminal} = await open();
    const warnings: string[] = [];
    // A line on stderr would end up in the middle of the screen.
    const told = {...ports, warn: (error: unknown) => void warnings.push(messageOf(error))};
    const request = {detached, restart: false, yes: false, isFirst: detached};
    const output = await openSession(told, {ref: id, request, terminal});
    if (output.outcome === 'failed') throw output.error;
    return warnings;
  };

  return {
    list: async () => {
      const {store, currentRepo, tmux, events} = await open();
      const repoId = (await currentRepo())?.repoId ?? null;
      const entries = (await store.list()).filter((entry) => repoId === null || entry.repoId === repoId);
      const views = await viewsOf({tmux, events}, inListOrder(entries));
      return views.filter(({status}) => status !== 'archived').map(rowOf);
    },
    screen: async (id) => {
      const {tmux} = await open();
      return tmux.captureScreen(sessionName(id));
    },
    resume: async (id) => void (await show(id, false)),
    create: async (name) => {
      const suffix = randomBytes(2).toString('hex');
      const request = {name, runner: undefined, parent: undefined, detached: true, suffix};
      const {run, unseen} = await createRun(await open(), request);
      const lost =
        unseen.length === 0
          ? []
          : [
              `it begins without your ${counted(unseen.length, 'uncommitted change')} on ${run.parent_branch}`,
            ];
      return {id: run.run_id, warnings: [...lost, ...(await show(run.run_id, true))]};
    },
    stop: async (id) => {
      const sessions = await open();
      return stopSession(sessions, await sessions.find(id));
    },
    kill: async (id) => {
      const sessions = await open();
      return killSession(sessions, await sessions.find(id));
    },
    clean: async (id, {force}) => {
      const sessions = await open();
      const run = await sessions.find(id);
      const {lost} = await withoutInterruption(() => cleanRun(sessions, run, {force}));
      if (lost === null) return [];
      return [`${commitsAre(lost.unbranched)} on no branch any more: git branch <name> ${lost.head}`];
    },
  };
}

function rowOf(view: SessionView): SessionRow {
  return {
    id: view.run_id,
    name: view.name,
    status: view.status,
    runner: view.runner,
    branch: view.branch,
    created: view.created_at.slice(0, 16).replace('T', ' '),
    isRunning: view.session_exists,
    canResume: view.problem === null && view.status !== 'worktree missing',
  };
}
