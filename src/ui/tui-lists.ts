import {valueAt} from '../machines/policies/config-resolution.ts';
import type {Dialog} from '../machines/tui.machine.ts';
import {type ConfigLayerName, settingKeys, settings} from '../services/contracts/config.ts';
import type {Command} from './model/commands.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui.ts';

type Means = {readonly open: (dialog: Dialog) => void; readonly failed: (error: unknown) => void};

type ListCommand = Extract<Command, `list.${string}`> | 'go.settings' | 'go.sessions';

/** The screens that are lists: settings and sessions. */
export function createListCommands(
  core: TuiCore,
  ports: TuiPorts,
  {open, failed}: Means,
): Record<ListCommand, () => void> {
  const length = () =>
    core.facts().screen === 'settings' ? settingKeys.length : (core.get().list.sessions?.length ?? 0);
  const moveTo = (index: number) => {
    const {list} = core.get();
    core.patch({list: {...list, index: Math.max(0, Math.min(length() - 1, index))}});
  };
  const move = (by: number) => moveTo(core.get().list.index + by);
  const show = (screen: 'settings' | 'sessions') => {
    core.patch({list: {index: 0, sessions: null}});
    core.send({type: `screen.${screen}`});
    if (screen === 'sessions') loadSessions();
  };
  const loadSessions = () => {
    ports.sessions().then((sessions) => core.patch({list: {...core.get().list, sessions}}), failed);
  };
  const change = (layer: ConfigLayerName) => {
    const key = settingKeys[core.get().list.index];
    const current = key && core.get().data?.config.values.get(key);
    if (!key || !current) return;
    if (settings[key].type !== 'boolean') {
      open({type: 'setting', key, layer});
      return;
    }
    // The layer's own switch is turned, also where another layer decides.
    const content = core.get().data?.layers.find(({name}) => name === layer)?.content;
    const own = content ? valueAt(content, key) : undefined;
    const value = typeof own === 'boolean' ? own : current.value;
    ports.writeSetting(layer, key, value !== true).catch(failed);
  };

  return {
    'go.settings': () => show('settings'),
    'go.sessions': () => show('sessions'),
    'list.up': () => move(-1),
    'list.down': () => move(1),
    'list.first': () => moveTo(0),
    'list.last': () => moveTo(length() - 1),
    'list.project': () => change('project'),
    'list.global': () => change('global'),
    'list.unset': () => {
      const key = settingKeys[core.get().list.index];
      const source = key && core.get().data?.config.values.get(key)?.source;
      if (!key || !source) return;
      if (source === 'default') core.say({tone: 'accent', text: 'it is the default already'});
      else ports.writeSetting(source, key, undefined).catch(failed);
    },
    'list.refresh': loadSessions,
    'list.choose': () => {
      const {list} = core.get();
      const session = list.sessions?.[list.index];
      if (session) core.patch({handover: {type: 'session', id: session.id}});
    },
  };
}
