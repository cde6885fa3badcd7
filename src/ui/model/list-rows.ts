import {displayLine} from '../../machines/policies/text/display-text.ts';
import {type SettingKey, settingKeys, settings} from '../../services/contracts/config.ts';
import type {SessionRow} from '../ports.ts';
import type {TuiState} from './facts.ts';

type List = TuiState['list'];

const isFound = (text: string, query: string): boolean =>
  text.toLowerCase().includes(query.trim().toLowerCase());

/** The settings that the search leaves. */
export const shownSettings = ({query}: Pick<List, 'query'>): readonly SettingKey[] =>
  settingKeys.filter((key) => isFound(`${key} ${settings[key].about}`, query));

/** The sessions that the search leaves; null before they are loaded. */
export const shownSessions = ({sessions, query}: Pick<List, 'sessions' | 'query'>) =>
  sessions?.filter(({name, id, status, runner, branch}) =>
    isFound([name, id, status, runner, branch].join(' '), query),
  ) ?? null;

export const selectedSession = (list: Pick<List, 'sessions' | 'query' | 'index'>): SessionRow | undefined =>
  shownSessions(list)?.[list.index];

/** Searches a list. The selected row stays selected as long as it is found. */
export function withListQuery(list: List, screen: string, query: string): List {
  const rows = (of: List): readonly unknown[] =>
    (screen === 'settings' ? shownSettings(of) : shownSessions(of)) ?? [];
  const next = {...list, query};
  return {...next, index: Math.max(0, rows(next).indexOf(rows(list)[list.index]))};
}

/** The title of a list, with what is searched for. */
export const listTitle = (title: string, {query}: List, isSearching: boolean): string =>
  query === '' && !isSearching ? title : `${title} /${displayLine(query)}${isSearching ? '▏' : ''}`;
