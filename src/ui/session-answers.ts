import type {Dialog} from '../machines/tui-dialogs.ts';
import {AppError} from '../services/contracts/errors.ts';
import {loadSessions} from './commands/sessions.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

/** Handles the answers in the dialogs of the sessions screen. */
export function createSessionAnswers(
  core: TuiCore,
  ports: TuiPorts,
  fail: (error: unknown, next?: Dialog) => void,
) {
  const reload = () => loadSessions({core, ports, fail});
  const close = () => core.send({type: 'dialog.close'});
  const said = (text: string, warnings: readonly string[] = []) => {
    const tone = warnings.length === 0 ? 'good' : 'warning';
    core.say({tone, text: [text, ...warnings].join('; ')});
    reload();
  };
  const nameOf = (id: string) => core.get().list.sessions?.find((row) => row.id === id)?.name || id;
  return {
    newSession: (name: string) => {
      close();
      core.say({tone: 'accent', text: `beginning ${name}…`});
      ports.sessions.create(name).then(
        ({warnings}) => said(`session ${name} is starting; enter attaches`, warnings),
        (error: unknown) => {
          core.patch({notice: null});
          reload();
          fail(error, {type: 'sessionNew', name});
        },
      );
    },
    killSession: (id: string) => {
      close();
      ports.sessions
        .kill(id)
        .then((isRunning) => said(isRunning ? `killed ${nameOf(id)}` : `no session for ${id}`), fail);
    },
    cleanSession: (id: string, force: boolean) => {
      const name = nameOf(id);
      close();
      ports.sessions.clean(id, {force}).then(
        (warnings) => said(`cleaned ${name}`, warnings),
        (error: unknown) =>
          isLoss(error) && !force ? fail(error, {type: 'sessionClean', id, force: true}) : fail(error),
      );
    },
  };
}

/** Work would be lost, which only the user can allow. */
const isLoss = (error: unknown) =>
  error instanceof AppError && (error.code === 'E_DIRTY_WORKTREE' || error.code === 'E_UNMERGED_COMMITS');
