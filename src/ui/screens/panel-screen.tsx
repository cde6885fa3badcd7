import {Box} from 'ink';
import {useLayoutEffect} from 'react';
import type {Panel} from '../../machines/tui-dialogs.ts';
import {Banner} from '../components/banner.tsx';
import {hintLine} from '../components/hint-line.tsx';
import {type Line, Lines} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import {type PromptFrameProps, PromptFrameProvider} from '../components/prompt-frame.tsx';
import {DialogView} from '../dialogs/dialog-view.tsx';
import {activeHints} from '../model/frame-lines.ts';
import {lineWidth} from '../model/styled-lines.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import {DetailPane, TreePane} from './plan-screen.tsx';

/** The prompt beside the plan. Narrow terminals show one of them at a time. */
export function PanelScreen({panel}: {readonly panel: Panel}) {
  const [{browse}, {layout}] = useTuiState();
  return (
    <PromptFrameProvider value={{Frame: PanelFrame, footColumns: layout.width}}>
      <DialogView
        dialog={panel}
        columns={layout.detailWidth - 4}
        rows={layout.paneRows + 1}
        isActive={browse.pane === 'detail'}
      />
    </PromptFrameProvider>
  );
}

const titles = {
  checkpoint: 'Review',
  questions: 'Questions',
  feedback: 'Parent review',
} as const satisfies Record<Panel['type'], string>;

/** How to get to the plan, if there is space to say it. */
function withPlanHint(foot: Line, isWriting: boolean, columns: number): Line {
  const hint: Line = [
    {text: `   ${isWriting ? 'shift+tab' : 'tab'}`, bold: true},
    {text: ' plan', dim: true},
  ];
  const whole = [...foot, ...hint];
  return lineWidth(whole) <= columns ? whole : foot;
}

/**
 * The prompt stays mounted with everything typed into it while the user moves in the tree. Its last line, the
 * keys, is the last line of the screen.
 */
function PanelFrame({lines, isWriting = false}: PromptFrameProps) {
  const {setWriting} = useTui();
  const [state, facts] = useTuiState();
  useLayoutEffect(() => {
    setWriting(isWriting);
    return () => setWriting(false);
  }, [isWriting, setWriting]);
  const {panel, layout} = facts;
  const {browse} = state;
  const hasKeys = browse.pane === 'detail';
  if (!panel) return null;
  const isPanelSeen = layout.hasTwoPanes ? hasKeys || browse.selectedId === panel.taskId : hasKeys;
  return (
    <>
      <Box height={layout.paneRows + 2}>
        {layout.hasTwoPanes || !hasKeys ? <TreePane /> : null}
        {isPanelSeen ? (
          <Pane
            titles={[{text: titles[panel.type]}]}
            columns={layout.detailWidth}
            rows={layout.paneRows}
            isActive={hasKeys}
            lines={lines.slice(0, -1)}
          />
        ) : layout.hasTwoPanes ? (
          <DetailPane />
        ) : null}
      </Box>
      <Banner />
      <Lines
        lines={[
          hasKeys
            ? withPlanHint(lines.at(-1) ?? [], isWriting, layout.width)
            : hintLine(activeHints(state, facts), layout.width),
        ]}
      />
    </>
  );
}
