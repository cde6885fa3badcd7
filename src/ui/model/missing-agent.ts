import type {TuiState} from './facts.ts';

/** Why no agent could start now, and the key that helps; null if one could. */
export function missingAgent({data}: Pick<TuiState, 'data'>): string | null {
  if (!data || !('id' in data.provider) || data.isAgentInstalled) return null;
  const {id, source} = data.provider;
  return source === 'none'
    ? 'no agent is installed: w shows how to install one'
    : `${id} is not installed: w shows how to install it, and what else there is`;
}
