import {resolveConfig, valueAt} from '../machines/policies/config-resolution.ts';
import type {ConfigLayerName, SettingKey} from '../services/contracts/config.ts';
import type {ProjectData, SettingChange, TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

/** A layer's own value; undefined if it has none. */
export function valueInLayer(
  data: Pick<ProjectData, 'layers'> | null,
  layer: ConfigLayerName,
  key: SettingKey,
): unknown {
  const content = data?.layers.find(({name}) => name === layer)?.content;
  return content ? valueAt(content, key) : undefined;
}

/** Writes a setting and shows it at once: the next read of the files comes a moment later. */
export async function saveSetting(
  {get, patch}: Pick<TuiCore, 'get' | 'patch'>,
  ports: Pick<TuiPorts, 'writeSetting'>,
  change: SettingChange,
): Promise<void> {
  const layers = await ports.writeSetting(change);
  const {data} = get();
  if (data) patch({data: {...data, layers, config: resolveConfig(layers)}});
}
