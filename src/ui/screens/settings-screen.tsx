import {valueAt} from '../../machines/policies/config-resolution.ts';
import {settingText} from '../../machines/policies/setting-types.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {
  type ConfigLayerName,
  type SettingKey,
  settingKeys,
  settings,
} from '../../services/contracts/config.ts';
import type {Line} from '../components/lines.tsx';
import {Pane} from '../components/pane.tsx';
import {clamped, position} from '../components/scroll.ts';
import type {TuiState} from '../model/facts.ts';
import {markLine} from '../model/styled-lines.ts';
import {cutEnd, cutStart, padEnd} from '../text/fit.ts';
import {useTuiState} from '../tui-context.tsx';

/** Every setting: its value, its source, and the value in each layer. */
export function SettingsScreen() {
  const [state, {layout}] = useTuiState();
  const {lines, place} = settingsView(state, layout.width - 4, layout.paneRows);
  return (
    <Pane
      titles={[{text: 'Settings'}]}
      right={place}
      columns={layout.width}
      rows={layout.paneRows}
      isActive
      lines={lines}
    />
  );
}

const widestName = 38;

function settingsView(
  {data, list}: TuiState,
  columns: number,
  rows: number,
): {readonly lines: readonly Line[]; readonly place: string} {
  if (!data) return {lines: [], place: ''};
  const valueColumns = Math.max(9, Math.min(30, Math.floor((columns - widestName) / 4) - 1));
  const nameColumns = Math.max(12, Math.min(widestName, columns - 4 * (valueColumns + 1) - 2));
  const row = (cells: readonly string[], style: Omit<Line[number], 'text'> = {}): Line => [
    {text: padEnd(cutEnd(cells[0] ?? '', nameColumns), nameColumns), ...style},
    ...cells
      .slice(1)
      .map((cell) => ({text: ` ${padEnd(cutEnd(cell, valueColumns), valueColumns)}`, ...style})),
  ];
  const head = row(['setting', 'value', 'project', 'global', 'default'], {dim: true});
  const body = settingKeys.map((key, index): Line => {
    const resolved = data.config.values.get(key);
    const name = `${index === list.index ? '❯' : ' '} ${columns < 60 ? (key.split('.')[1] ?? key) : key}`;
    const cells = [
      name,
      settingText(resolved?.value),
      valueIn(data, 'project', key),
      valueIn(data, 'global', key),
      settingText(settings[key].default),
    ];
    return index === list.index ? markLine(row(cells)) : row(cells);
  });
  const chosen = settingKeys[list.index];
  const source = chosen && data.config.values.get(chosen)?.source;
  const foot: Line[] = chosen
    ? [
        [],
        [{text: cutEnd(settings[chosen].about, columns)}],
        ...(rows < 12 ? [] : files(chosen, source, data, columns)),
      ]
    : [];
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
