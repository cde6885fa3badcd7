import {displayLine} from '../../machines/policies/text/display-text.ts';
import {ConfirmDialog} from '../components/confirm-dialog.tsx';
import {hintLine} from '../components/hint-line.tsx';
import {blankLine, Lines, lineOf} from '../components/lines.tsx';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap} from '../keymap.ts';
import {withoutLast} from '../text/graphemes.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import type {DialogSize} from './dialog-size.ts';

const nameKeymap: Keymap<(text: string) => Step<string, string | null>> = [
  {
    id: 'name.save',
    keys: ['enter'],
    label: 'begin',
    hint: 'first',
    run: (text) => ({state: text, outcome: text}),
  },
  {
    id: 'name.cancel',
    keys: ['escape'],
    label: 'cancel',
    hint: 'first',
    run: (text) => ({state: text, outcome: null}),
  },
  {id: 'name.erase', keys: ['backspace'], label: 'delete', run: (text) => ({state: withoutLast(text)})},
  {id: 'name.clear', keys: ['ctrl+u'], label: 'clear', run: () => ({state: ''})},
];

/** The name of a new session. */
export function SessionNewDialog({name: refused = '', columns}: DialogSize & {readonly name?: string}) {
  const {answers} = useTui();
  const {state} = useStepper<string, string | null>({
    initial: () => refused,
    step: (before, {name, text}) => {
      const binding = bindingOf(nameKeymap, name);
      if (binding) return binding.run(before);
      return {state: text === undefined ? before : before + text.trim()};
    },
    onOutcome: (name) => (name === null ? answers.close() : answers.newSession(name)),
  });
  return (
    <Lines
      lines={[
        lineOf(' New session', {bold: true}),
        lineOf(' A branch, its worktree, and an agent in tmux.', {dim: true}),
        blankLine,
        [{text: ' name ❯ ', tone: 'accent'}, {text: displayLine(state)}, {text: ' ', inverse: true}],
        blankLine,
        hintLine(hintsOf(nameKeymap), columns),
      ]}
    />
  );
}

export function SessionKillDialog({id, ...size}: DialogSize & {readonly id: string}) {
  const {answers} = useTui();
  const name = useSessionName(id);
  return (
    <ConfirmDialog
      {...size}
      title={`Kill ${name}?`}
      message="Its agent ends. Worktree, branch and record stay."
      confirmLabel="Kill"
      onConfirm={() => answers.killSession(id)}
      onCancel={answers.close}
    />
  );
}

export function SessionCleanDialog({
  id,
  force,
  ...size
}: DialogSize & {readonly id: string; readonly force: boolean}) {
  const {answers} = useTui();
  const name = useSessionName(id);
  return (
    <ConfirmDialog
      {...size}
      title={force ? `Clean ${name} anyway?` : `Clean ${name}?`}
      message={
        force
          ? 'What is only in its worktree is lost for good. The branch and the record stay.'
          : 'It ends and its worktree is removed; branch and record stay. Uncommitted changes are not removed.'
      }
      confirmLabel={force ? 'Discard and clean' : 'Clean'}
      onConfirm={() => answers.cleanSession(id, force)}
      onCancel={answers.close}
    />
  );
}

function useSessionName(id: string): string {
  const [{list}] = useTuiState();
  return displayLine(list.sessions?.find((session) => session.id === id)?.name || id);
}
