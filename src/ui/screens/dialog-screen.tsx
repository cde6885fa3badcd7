import {Box} from 'ink';
import type {Dialog} from '../../machines/tui-dialogs.ts';
import {Lines} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import {DialogView} from '../dialogs/dialog-view.tsx';
import {bannerLine} from '../model/frame-lines.ts';
import {useTuiState} from '../tui-context.tsx';
import {TreePane} from './plan-screen.tsx';

/** On narrower screens a dialog needs the whole width. */
const widthForBoth = 100;

/** A dialog: beside the plan if there is space for both, else in its place. */
export function DialogScreen({dialog}: {readonly dialog: Dialog}) {
  const [state, facts] = useTuiState();
  const {layout, screen} = facts;
  const isBeside =
    screen === 'plan' && layout.hasTwoPanes && layout.width >= widthForBoth && dialog.type !== 'planReview';
  const size = isBeside
    ? {columns: layout.detailWidth - 4, rows: layout.paneRows}
    : {columns: layout.width, rows: layout.paneRows + 3};
  return (
    <>
      <Box>
        {isBeside ? <TreePane hasKeys={false} /> : null}
        <Pane
          titles={[{text: titles[dialog.type] ?? 'Task'}]}
          columns={isBeside ? layout.detailWidth : layout.width}
          rows={isBeside ? layout.paneRows : size.rows}
          isActive
          isFramed={isBeside}
        >
          <DialogView dialog={dialog} {...size} />
        </Pane>
      </Box>
      {isBeside ? <Lines lines={[bannerLine(state, facts), []]} /> : null}
    </>
  );
}

const titles: Partial<Record<Dialog['type'], string>> = {
  quit: 'Quit',
  agent: 'Agent',
  add: 'New task',
  edit: 'Edit',
  fields: 'Edit',
  status: 'Status',
  deps: 'Needs',
  move: 'Move',
  undo: 'Undo',
  message: 'Message',
  planWish: 'Plan',
  planDrafts: 'Plan',
  planWork: 'Planning',
  planQuestions: 'Questions',
  planReview: 'Proposed plan',
  planRevise: 'Revise',
  planFields: 'Edit',
  planField: 'Edit',
};
