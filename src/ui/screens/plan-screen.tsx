import {Box} from 'ink';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {Line} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import {position} from '../components/scroll.ts';
import {type Tab, tabs} from '../model/browse.ts';
import {detailContent} from '../model/detail.ts';
import {highlighted} from '../model/find.ts';
import {treeLines, treeTitle} from '../model/tree-lines.ts';
import {useLiveLog, useSeconds, useTui, useTuiState} from '../tui-context.tsx';

/** The plan on the left, the selected task on the right; on a narrow terminal one of them. */
export function PlanScreen() {
  const [{browse}, {layout}] = useTuiState();
  const {hasTwoPanes} = layout;
  return (
    <Box height={layout.paneRows + 2}>
      {hasTwoPanes || browse.pane === 'tree' ? <TreePane /> : null}
      {hasTwoPanes || browse.pane === 'detail' ? <DetailPane /> : null}
    </Box>
  );
}

export function TreePane({hasKeys = true}: {readonly hasKeys?: boolean}) {
  const [state, facts] = useTuiState();
  const {ports} = useTui();
  useSeconds();
  const {left, right} = treeTitle(state, facts);
  const columns = facts.layout.treeWidth;
  const isActive = hasKeys && state.browse.pane === 'tree';
  return (
    <Pane
      titles={[{text: left}]}
      right={right}
      columns={columns}
      rows={facts.layout.paneRows}
      isActive={isActive}
      lines={treeLines(state, facts, columns - 4, ports.now(), isActive)}
    />
  );
}

const tabNames = {details: 'Details', run: 'Run', diff: 'Diff', history: 'History'} as const satisfies Record<
  Tab,
  string
>;

export function DetailPane() {
  const [state, facts] = useTuiState();
  const {jobs} = useTui();
  useSeconds();
  useLiveLog(facts.shownRun?.run_id, state.browse.isRaw);
  const {browse} = state;
  const {layout} = facts;
  const content = detailContent(state, facts, jobs);
  const {lines, place} = visible(content, browse.detailTop, layout.paneRows);
  const isSearched = facts.isSearching && browse.pane === 'detail';
  const search = browse.find.text !== '' || isSearched ? `/${displayLine(browse.find.text)}` : '';
  return (
    <Pane
      titles={tabs.map((tab) => ({text: tabNames[tab], isOpen: tab === browse.tab}))}
      right={[search && `${search}${isSearched ? '▏' : ''}`, place].filter((part) => part !== '').join('  ')}
      columns={layout.detailWidth}
      rows={layout.paneRows}
      isActive={browse.pane === 'detail'}
      lines={highlighted(lines, browse.find.text)}
    />
  );
}

/** The visible part of the content: from a line on, or its end. */
export function visible(
  {head, length, slice}: ReturnType<typeof detailContent>,
  top: number | null,
  rows: number,
): {lines: Line[]; place: string} {
  const height = Math.max(1, rows - head.length);
  if (top === null) {
    const end = slice(Math.max(0, length - height), length).slice(-height);
    return {lines: [...head, ...end], place: ''};
  }
  const from = Math.max(0, Math.min(top, length - 1));
  const place = position({top: from, left: 0}, length, height);
  return {lines: [...head, ...slice(from, from + height).slice(0, height)], place};
}
