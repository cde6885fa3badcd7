import {useState} from 'react';
import {askOnScreen} from '../../machines/tui-flow.ts';
import {Lines, lineOf} from '../components/lines.tsx';
import {QuestionsPrompt} from '../prompts/questions-prompt.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-view.tsx';

/** What an agent asked; the answers send it back to work. */
export function QuestionsDialog({taskId, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers, files} = useTui();
  const [{data}, {plan}] = useTuiState();
  const [actor] = useState(() =>
    askOnScreen(data?.runs.get(taskId)?.questions ?? [], (output) => {
      if ('answers' in output) answers.answer(taskId, output.answers);
      else answers.close();
    }),
  );
  const task = plan?.items.get(taskId);
  if (!task) return <Lines lines={[lineOf(' the task is gone')]} />;
  return <QuestionsPrompt {...size} actor={actor} files={files} task={task} />;
}
