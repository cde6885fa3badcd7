import {type EffortId, hasEfforts, type ProgramId, programIds, providerTable} from './provider-table.ts';

type Key = `${ProgramId}.model` | `${EffortId}.effort`;
type Text = {readonly type: 'text'; readonly default: string; readonly about: string};

/** The settings for the model and the effort of every agent that has them to choose. */
export const modelSettings = Object.fromEntries(
  programIds.flatMap((id): readonly (readonly [Key, Text])[] => {
    const {title, efforts} = providerTable[id];
    const model = text(`the model of ${title}, for tasks that name none`);
    const effort = text(`the reasoning effort of ${title}: ${efforts}`);
    return [[`${id}.model`, model], ...(hasEfforts(id) ? [[`${id}.effort`, effort] as const] : [])];
  }),
) as Readonly<Record<Key, Text>>;

function text(about: string): Text {
  return {type: 'text', default: '', about};
}
