import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Line} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import type {TuiState} from '../model/facts.ts';
import {markLine} from '../model/styled-lines.ts';
import {cutEnd, padEnd} from '../text/fit.ts';
import {useTuiState} from '../tui-context.tsx';

/** The interactive sessions of this repository; one of them can have the terminal. */
export function SessionsScreen() {
  const [state, {layout}] = useTuiState();
  return (
    <Pane
      titles={[{text: 'Sessions'}]}
      columns={layout.width}
      rows={layout.paneRows}
      isActive
      lines={sessionLines(state, layout.width - 4, layout.paneRows)}
    />
  );
}

export function sessionLines({list}: TuiState, columns: number, rows: number): Line[] {
  const {sessions, index} = list;
  if (sessions === null) return [[{text: 'loading…', dim: true}]];
  if (sessions.length === 0) {
    return [
      [{text: 'there are no sessions here'}],
      [{text: 'blackbird session run --name <name> begins one', dim: true}],
    ];
  }
  const fixed = [14, 17, 8] as const;
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
