import {valueAt} from '../../machines/policies/config-resolution.ts';
import {settingText} from '../../machines/policies/setting-types.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {type ConfigLayerName, type SettingKey, settings} from '../../services/contracts/config.ts';
import type {Line} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import {clamped, position} from '../components/scroll.ts';
import type {TuiState} from '../model/facts.ts';
import {listTitle, shownSettings} from '../model/list-rows.ts';
import {markLine} from '../model/styled-lines.ts';
import {cutEnd, cutStart, padEnd} from '../text/fit.ts';
import {wrapped} from '../text/wrap.ts';
import {useTuiState} from '../tui-context.tsx';

/** Every setting: its value, its source, and the value in each layer. */
export function SettingsScreen() {
  const [state, {layout, isSearching}] = useTuiState();
  const {lines, place} = settingsView(state, layout.width - 4, layout.paneRows);
  return (
    <Pane
      titles={[{text: listTitle('Settings', state.list, isSearching)}]}
      right={place}
      columns={layout.width}
      rows={layout.paneRows}
      isActive
      lines={lines}
    />
  );
}

const widestName = 38;
const narrow = 60;

function settingsView(
  {data, list}: TuiState,
  columns: number,
  rows: number,
): {readonly lines: readonly Line[]; readonly place: string} {
  if (!data) return {lines: [], place: ''};
  const valueColumns = Math.max(9, Math.min(30, Math.floor((columns - widestName) / 4) - 1));
  // A narrow list has only the value that counts; below it stands where that comes from.
  const values = columns < narrow ? 1 : 4;
  const nameColumns = Math.max(12, Math.min(widestName, columns - values * (valueColumns + 1) - 2));
  const row = (cells: readonly string[], style: Omit<Line[number], 'text'> = {}): Line => [
    {text: padEnd(cutEnd(cells[0] ?? '', nameColumns), nameColumns), ...style},
    ...cells
      .slice(1, 1 + values)
      .map((cell) => ({text: ` ${padEnd(cutEnd(cell, valueColumns), valueColumns)}`, ...style})),
  ];
  const head = row(['setting', 'value', 'project', 'global', 'default'], {dim: true});
  const keys = shownSettings(list);
  const body = keys.map((key, index): Line => {
    const resolved = data.config.values.get(key);
    const name = `${index === list.index ? '❯' : ' '} ${columns < narrow ? (key.split('.')[1] ?? key) : key}`;
    const cells = [
      name,
      settingText(resolved?.value),
      valueIn(data, 'project', key),
      valueIn(data, 'global', key),
      settingText(settings[key].default),
    ];
    return index === list.index ? markLine(row(cells)) : row(cells);
  });
  const chosen = keys[list.index];
  const source = chosen && data.config.values.get(chosen)?.source;
  const foot: Line[] = chosen
    ? [
        [],
        ...wrapped(settings[chosen].about, columns)
          .slice(0, rows < 12 ? 2 : 3)
          .map((text): Line => [{text}]),
        ...(rows < 12 ? [] : files(chosen, source, data, columns)),
      ]
    : [[{text: 'no setting matches', dim: true}]];
  const room = Math.max(1, rows - 1 - foot.length);
  const middle = {top: list.index - Math.floor(room / 2), left: 0};
  const scroll = clamped(middle, body.length, room);
  return {
    lines: [head, ...body.slice(scroll.top, scroll.top + room), ...foot].slice(0, rows),
    place: position(scroll, body.length, room),
  };
}

/** The whole name, which a narrow list cuts, and where its value comes from. */
function files(
  key: SettingKey,
  source: string | undefined,
  {layers}: NonNullable<TuiState['data']>,
  columns: number,
): Line[] {
  return [
    [{text: cutEnd(`${key} comes from: ${source}`, columns), dim: true}],
    ...layers.map(
      ({name, file}): Line => [{text: `${name}: ${cutStart(displayLine(file), columns - 10)}`, dim: true}],
    ),
  ];
}

/** The value in one layer; `-` if it has none. */
function valueIn(data: NonNullable<TuiState['data']>, layer: ConfigLayerName, key: SettingKey): string {
  const {content, problem} = data.layers.find(({name}) => name === layer) ?? {content: null};
  if (problem !== undefined) return '(unread)';
  const value = content === null ? undefined : valueAt(content, key);
  return value === undefined ? '-' : displayLine(Array.isArray(value) ? settingText(value) : String(value));
}
