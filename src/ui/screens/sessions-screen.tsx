import {Box} from 'ink';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Line} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import type {TuiState} from '../model/facts.ts';
import {listTitle, selectedSession, shownSessions} from '../model/list-rows.ts';
import {markLine} from '../model/styled-lines.ts';
import type {SessionRow} from '../ports.ts';
import {cutEnd, padEnd} from '../text/fit.ts';
import {textWidth} from '../text/graphemes.ts';
import {wrapped} from '../text/wrap.ts';
import {useTuiState} from '../tui-context.tsx';

/** With fewer rows there is only the list. */
const smallestSplit = 10;

/** The interactive sessions of this repository, and below them the screen of the selected one. */
export function SessionsScreen() {
  const [state, {layout, isSearching}] = useTuiState();
  const {width, paneRows} = layout;
  const {sessions, preview} = state.list;
  const selected = selectedSession(state.list);
  const isSplit = paneRows >= smallestSplit && selected !== undefined;
  // Frame and title of the second pane take two rows.
  const listRows = isSplit ? Math.min((sessions?.length ?? 0) + 1, Math.floor((paneRows - 2) / 3)) : paneRows;
  const shownRows = paneRows - 2 - listRows;
  const lines = previewLines(selected, preview, width - 4).slice(-shownRows);
  return (
    <Box flexDirection="column" height={paneRows + 2}>
      <Pane
        titles={[{text: listTitle('Sessions', state.list, isSearching)}]}
        columns={width}
        rows={listRows}
        isActive
        lines={sessionLines(state, width - 4, listRows)}
      />
      {isSplit ? (
        <Pane
          titles={[{text: displayLine(selected.name || selected.id)}]}
          columns={width}
          rows={shownRows}
          isActive={false}
          lines={lines}
        />
      ) : null}
    </Box>
  );
}

/** The session's current screen, or why there is none. */
function previewLines(
  selected: SessionRow | undefined,
  preview: TuiState['list']['preview'],
  columns: number,
): Line[] {
  if (!selected?.isRunning) {
    const what = selected?.canResume ? 'it is not running; u starts it' : `it is ${selected?.status}`;
    return [[{text: what, dim: true}]];
  }
  if (preview?.id !== selected.id) return [[{text: 'loading…', dim: true}]];
  return preview.lines.map((line) => [{text: cutEnd(displayLine(line), columns)}]);
}

function sessionLines({list}: TuiState, columns: number, rows: number): Line[] {
  const {index} = list;
  const sessions = shownSessions(list);
  if (sessions === null) return [[{text: 'loading…', dim: true}]];
  if (sessions.length === 0 && list.query !== '') return [[{text: 'no session matches', dim: true}]];
  if (sessions.length === 0) {
    return [
      [{text: 'there are no sessions here'}],
      ...wrapped('n starts one: a branch, its worktree, and an agent in tmux', columns).map(
        (text): Line => [{text, dim: true}],
      ),
    ];
  }
  const longest = Math.max(...sessions.map(({name, id}) => textWidth(displayLine(name || id))));
  const fixed = [Math.max(14, Math.min(longest + 1, Math.floor(columns / 4))), 17, 8];
  const created = 16;
  const branch = Math.max(8, columns - 2 - created - fixed.reduce((sum, width) => sum + width, 0));
  const widths = [...fixed, branch, created];
  const row = (cells: readonly string[]): Line => [
    {
      text: cutEnd(
        cells
          .map((cell, at) =>
            padEnd(
              cutEnd(displayLine(cell), (widths[at] ?? created) - (at === 4 ? 0 : 1)),
              widths[at] ?? created,
            ),
          )
          .join(''),
        columns - 2,
      ),
    },
  ];
  const head: Line = [{text: '  '}, ...row(['NAME', 'STATUS', 'RUNNER', 'BRANCH', 'CREATED'])].map(
    (span) => ({...span, dim: true}),
  );
  const room = Math.max(1, rows - 1);
  const top = Math.max(0, Math.min(index - Math.floor(room / 2), sessions.length - room));
  const body = sessions
    .slice(top, top + room)
    .map(({name, id, status, runner, branch, created}, at): Line => {
      const isMarked = top + at === index;
      const line: Line = [
        {text: isMarked ? '❯ ' : '  '},
        ...row([name || id, status, runner, branch, created]),
      ];
      return isMarked ? markLine(line) : line;
    });
  return [head, ...body];
}
