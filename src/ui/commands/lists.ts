import {type ConfigLayerName, settings} from '../../services/contracts/config.ts';
import {notNow} from '../keymap.ts';
import {shownSessions, shownSettings} from '../model/list-rows.ts';
import {saveSetting, valueInLayer} from '../setting-change.ts';
import type {Command, CommandContext} from './command.ts';

const lists = ['settings', 'sessions'] as const;

/** The list screens: settings and sessions. */
export const listCommands: readonly Command[] = [
  {
    id: 'setting.project',
    keys: ['enter', 'p'],
    label: 'set here',
    hint: 'first',
    at: ['settings'],
    run: (context) => change(context, 'project'),
  },
  {
    id: 'setting.global',
    keys: ['a'],
    label: 'set globally',
    hint: 'first',
    at: ['settings'],
    run: (context) => change(context, 'global'),
  },
  {
    id: 'setting.unset',
    keys: ['d', 'backspace', 'delete'],
    label: 'unset',
    hint: 'first',
    at: ['settings'],
    run: ({core, ports, fail}) => {
      const key = shownSettings(core.get().list)[core.get().list.index];
      const source = key && core.get().data?.config.values.get(key)?.source;
      if (!key || !source) return;
      if (source === 'default') core.say({tone: 'accent', text: 'it is already the default'});
      else {
        const seen = valueInLayer(core.get().data, source, key);
        saveSetting(core, ports, {layer: source, key, value: undefined, seen}).catch(fail);
      }
    },
  },
  {
    id: 'list.search',
    keys: ['/'],
    label: 'search',
    hint: 'first',
    at: lists,
    refusal: ({screen}, {list}) => (screen === 'sessions' && !list.sessions?.length ? notNow : null),
    run: ({core}) => core.send({type: 'search.begin'}),
  },
  {id: 'list.up', keys: ['up', 'k'], label: 'up', at: lists, run: (context) => move(context, -1)},
  {id: 'list.down', keys: ['down', 'j'], label: 'down', at: lists, run: (context) => move(context, 1)},
  {
    id: 'list.pageUp',
    keys: ['pageup', 'ctrl+b', 'ctrl+u'],
    label: 'page up',
    at: lists,
    run: (context) => move(context, -page(context)),
  },
  {
    id: 'list.pageDown',
    keys: ['pagedown', 'ctrl+f', 'ctrl+d'],
    label: 'page down',
    at: lists,
    run: (context) => move(context, page(context)),
  },
  {
    id: 'list.first',
    keys: ['home', 'g'],
    label: 'first',
    at: lists,
    run: (context) => move(context, Number.NEGATIVE_INFINITY),
  },
  {
    id: 'list.last',
    keys: ['end', 'G'],
    label: 'last',
    at: lists,
    run: (context) => move(context, Number.POSITIVE_INFINITY),
  },
];

const page = ({core}: CommandContext): number => Math.max(1, Math.floor(core.facts().layout.paneRows / 2));

export function move({core}: CommandContext, by: number): void {
  const {list} = core.get();
  const length =
    (core.facts().screen === 'settings' ? shownSettings(list) : shownSessions(list))?.length ?? 0;
  core.patch({list: {...list, index: Math.max(0, Math.min(length - 1, list.index + by))}});
}

function change({core, ports, open, fail}: CommandContext, layer: ConfigLayerName): void {
  const {data, list} = core.get();
  const key = shownSettings(list)[list.index];
  const current = key && data?.config.values.get(key);
  if (!key || !current) return;
  if (settings[key].type !== 'boolean') {
    open({type: 'setting', key, layer});
    return;
  }
  // Toggles this layer's own value, even if another layer takes precedence.
  const seen = valueInLayer(data, layer, key);
  const value = typeof seen === 'boolean' ? seen : current.value;
  saveSetting(core, ports, {layer, key, value: value !== true, seen}).catch(fail);
}
