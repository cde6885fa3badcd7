import {answeredElsewhereText} from '../machines/policies/run/answered-elsewhere.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {decisionOn} from './model/facts.ts';
import type {TuiCore} from './tui-core.ts';

/** Closes a panel that was answered in another terminal, and says so. What was typed into it stays a draft. */
export function createOvertaken(core: TuiCore) {
  let asked: RunRecord | null = null;
  let parentId: string | null = null;
  /** The project was read again. Questions of this process's job are closed by that job. */
  const answeredText = (): string | null => {
    const {panel} = core.facts();
    const {data} = core.get();
    if (panel === null || data === null) return null;
    if (panel.type === 'feedback') {
      const left = [...data.pendingFeedback.values()].some(({parentTaskId}) => parentTaskId === parentId);
      return parentId === null || left ? null : `the review of ${parentId} was answered in another terminal`;
    }
    if (asked === null || decisionOn(core.get(), panel.taskId) !== null) return null;
    return answeredElsewhereText(panel.type, asked, data.runs.get(panel.taskId));
  };
  return {
    /** A panel opened or closed: remember the state of the run it asks about. */
    remember: () => {
      const {panel} = core.facts();
      const {data} = core.get();
      asked = (panel && data?.runs.get(panel.taskId)) ?? null;
      parentId = (panel && data?.pendingFeedback.get(panel.taskId)?.parentTaskId) ?? null;
    },
    look: () => {
      const words = answeredText();
      if (words === null) return;
      core.say({tone: 'accent', text: words});
      core.send({type: 'dialog.close'});
    },
  };
}
