import {useState} from 'react';
import {askOnScreen} from '../../machines/tui-flow.ts';
import {Lines, lineOf} from '../components/lines.tsx';
import {QuestionsPrompt} from '../prompts/questions-prompt.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';

/** What an agent asked; the answers send it back to work. */
export function QuestionsDialog({taskId, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers, files, ports} = useTui();
  const [{data}, {plan}] = useTuiState();
  const [actor] = useState(() => {
    const run = data?.runs.get(taskId) ?? {task_id: taskId, run_id: ''};
    const {drafts} = ports;
    const now = () => new Date(ports.now()).toISOString();
    return askOnScreen({drafts, run, now}, (output) => answers.endQuestions(taskId, output));
  });
  const task = plan?.items.get(taskId);
  if (!task) return <Lines lines={[lineOf(' the task is gone')]} />;
  return <QuestionsPrompt {...size} actor={actor} files={files} task={task} />;
}
