import {useSelector} from '@xstate/react';
import type {QuestionsActorRef} from '../../machines/questions.machine.ts';
import {QuestionPrompt, type QuestionPromptProps} from './question-prompt.tsx';

export type QuestionsPromptProps = Pick<
  QuestionPromptProps,
  'task' | 'files' | 'columns' | 'rows' | 'isActive'
> & {
  /** The questions machine, started by the caller. Its output is the answers, or that they were postponed. */
  readonly actor: QuestionsActorRef;
};

/** All questions of a waiting run, one after another, as the machine decides. */
export function QuestionsPrompt({actor, ...rest}: QuestionsPromptProps) {
  const index = useSelector(actor, ({context}) => context.index);
  const questions = useSelector(actor, ({context}) => context.questions);
  const answer = useSelector(actor, ({context}) => context.answers[context.index] ?? '');
  const question = questions[index];
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  if (!question || isLoading) return null;
  return (
    <QuestionPrompt
      {...rest}
      key={index}
      question={question}
      answer={answer}
      number={index + 1}
      total={questions.length}
      onAnswer={(value) => actor.send({type: 'question.answer', value})}
      onDraft={(value) => actor.send({type: 'question.draft', value})}
      onBack={() => actor.send({type: 'question.back'})}
      onLater={() => actor.send({type: 'question.cancel'})}
    />
  );
}
