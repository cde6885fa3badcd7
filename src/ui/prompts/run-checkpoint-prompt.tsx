import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import type {OutsideProgram} from '../../machines/policies/text/outside-program.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import {type DiffView, viewFor} from '../diff/diff-view.ts';
import {createFileIndex} from '../editor/file-index.ts';
import type {UserPrograms} from '../ports.ts';
import {renderScreen, type ScreenOptions} from '../screen/render-screen.tsx';
import {useTerminalSize} from '../screen/terminal-size.ts';
import {CheckpointPrompt, type CheckpointPromptProps} from './checkpoint-prompt.tsx';

export type RunCheckpointPromptOptions = ScreenOptions &
  Pick<CheckpointPromptProps, 'task' | 'run' | 'loadDiff' | 'comments' | 'changesRefused' | 'openDraft'> & {
    readonly listFiles: () => Promise<readonly string[]>;
    readonly programs: UserPrograms;
  };

/** What was viewed at this process's checkpoints: a task that was sent back comes again. */
const views = new Map<string, DiffView>();

type Answer = {readonly decision: CheckpointAnswer | null} | {readonly program: OutsideProgram};

/** Asks for the decision on a terminal; null if it is left for later. */
export async function runCheckpointPrompt({
  listFiles,
  programs,
  ...options
}: RunCheckpointPromptOptions): Promise<CheckpointAnswer | null> {
  const files = createFileIndex(listFiles);
  const {stdin, stdout, hasColor, signal, ...asked} = options;
  const screen = {stdin, stdout, hasColor, ...(signal ? {signal} : {})};
  let diff = viewFor(views, options.run);
  for (;;) {
    const answer = await renderScreen<Answer>(screen, (finish) => (
      <FullScreenCheckpoint
        {...asked}
        files={files}
        editorRefused={programs.editorRefused}
        diff={diff}
        onDiff={(view) => {
          diff = view;
          views.set(options.run.run_id, view);
        }}
        onProgram={(program) => finish({program})}
        onDecide={(decision) => finish({decision})}
        onLater={() => finish({decision: null})}
      />
    ));
    if (answer === null || 'decision' in answer) return answer?.decision ?? null;
    await programs.run(answer.program).catch((error: unknown) => {
      diff = {...diff, notice: messageOf(error)};
    });
  }
}

function FullScreenCheckpoint(props: Omit<CheckpointPromptProps, 'columns' | 'rows'>) {
  const {columns, rows} = useTerminalSize();
  // For a frame as tall as the terminal, Ink clears the whole screen on every update.
  return <CheckpointPrompt {...props} columns={columns} rows={rows - 1} />;
}
