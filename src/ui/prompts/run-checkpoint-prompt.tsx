import type {CheckpointWords, OpenDraft} from '../../machines/drafts.ts';
import type {CheckpointAnswer} from '../../machines/policies/review/decisions.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {createFileIndex} from '../editor/file-index.ts';
import {renderScreen, type ScreenOptions} from '../screen/render-screen.tsx';
import {useTerminalSize} from '../screen/terminal-size.ts';
import {CheckpointPrompt, type CheckpointPromptProps} from './checkpoint-prompt.tsx';

export type RunCheckpointPromptOptions = ScreenOptions & {
  readonly task: {readonly id: string; readonly title: string};
  readonly run: RunRecord;
  readonly listFiles: () => Promise<readonly string[]>;
  readonly loadDiff: () => Promise<string>;
  readonly changesRefused?: string | null;
  readonly openDraft: (words: CheckpointWords) => OpenDraft;
};

/** Asks for the decision on a terminal; null when it is left for later. */
export function runCheckpointPrompt({
  listFiles,
  task,
  run,
  loadDiff,
  changesRefused = null,
  openDraft,
  ...screen
}: RunCheckpointPromptOptions): Promise<CheckpointAnswer | null> {
  const files = createFileIndex(listFiles);
  return renderScreen<CheckpointAnswer | null>(screen, (finish) => (
    <FullScreenCheckpoint
      task={task}
      run={run}
      files={files}
      loadDiff={loadDiff}
      changesRefused={changesRefused}
      openDraft={openDraft}
      onDecide={finish}
      onLater={() => finish(null)}
    />
  ));
}

function FullScreenCheckpoint(props: Omit<CheckpointPromptProps, 'columns' | 'rows'>) {
  const {columns, rows} = useTerminalSize();
  // A frame as tall as the terminal makes Ink clear everything for every frame.
  return <CheckpointPrompt {...props} columns={columns} rows={rows - 1} />;
}
