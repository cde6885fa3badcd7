import {useEffect, useRef, useState} from 'react';
import {askOnScreen} from '../../machines/tui-flow.ts';
import {QuestionsPrompt} from '../prompts/questions-prompt.tsx';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';
import {TaskDeleted} from './task-deleted.tsx';

/** An agent's questions; the answers send it back to work. */
export function QuestionsDialog({taskId, ...size}: DialogSize & {readonly taskId: string}) {
  const {answers, files, ports} = useTui();
  const left = useRef<{readonly hasWords: boolean} | null>(null);
  const [{data}, {plan}] = useTuiState();
  const [actor] = useState(() => {
    const run = data?.runs.get(taskId) ?? {task_id: taskId, run_id: ''};
    const {drafts} = ports;
    const now = () => new Date(ports.now()).toISOString();
    return askOnScreen({drafts, run, now}, (output) =>
      left.current ? answers.leaveQuestions(output, left.current) : answers.endQuestions(taskId, output),
    );
  });
  // Closed from outside: an unfinished answer is kept anyway.
  useEffect(
    () => () => {
      const {status, context} = actor.getSnapshot();
      if (status !== 'active') return;
      left.current = {hasWords: context.answers.some((answer) => answer !== '')};
      actor.send({type: 'question.cancel'});
    },
    [actor],
  );
  const task = plan?.items.get(taskId);
  if (!task) return <TaskDeleted {...size} />;
  return <QuestionsPrompt {...size} actor={actor} files={files} task={task} />;
}
