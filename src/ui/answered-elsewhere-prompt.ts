import {answeredElsewhereText} from '../machines/policies/run/answered-elsewhere.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {decisionOn} from './model/facts.ts';
import type {TuiCore} from './tui-core.ts';

/** Closes a panel that was answered in another terminal, and says so. What was typed into it stays a draft. */
export function createOvertaken(core: TuiCore) {
  let asked: RunRecord | null = null;
  return {
    /** A panel opened or closed: remember the state of the run it asks about. */
    remember: () => {
      const {panel} = core.facts();
      asked = (panel && core.get().data?.runs.get(panel.taskId)) ?? null;
    },
    /** The project was read again. Questions of this process's job are closed by that job. */
    look: () => {
      const {panel} = core.facts();
      const {data} = core.get();
      if (asked === null || panel === null || panel.type === 'feedback') return;
      if (decisionOn(core.get(), panel.taskId) !== null) return;
      const words = answeredElsewhereText(panel.type, asked, data?.runs.get(panel.taskId));
      if (words === null) return;
      core.say({tone: 'accent', text: words});
      core.send({type: 'dialog.close'});
    },
  };
}
