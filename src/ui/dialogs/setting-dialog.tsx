import {useState} from 'react';
import {parseSetting} from '../../machines/policies/config-resolution.ts';
import {acceptedFor, settingText} from '../../machines/policies/setting-types.ts';
import {displayText} from '../../machines/policies/text/display-text.ts';
import {
  type ConfigLayerName,
  type Setting,
  type SettingKey,
  type SettingValue,
  settings,
} from '../../services/contracts/config.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import {hintLine} from '../components/hint-line.tsx';
import {blankLine, Lines, lineOf} from '../components/lines.tsx';
import {type Step, useStepper} from '../input/use-stepper.ts';
import {bindingOf, hintsOf, type Keymap} from '../keymap.ts';
import {valueInLayer} from '../setting-change.ts';
import {withoutLast} from '../text/graphemes.ts';
import {useTui, useTuiState} from '../tui-context.tsx';
import {ChoiceDialog} from './choice-dialog.tsx';
import type {DialogSize} from './dialog-size.ts';

type State = {readonly text: string; readonly problem: string | null};

const settingKeymap: Keymap<(state: State, key: SettingKey) => Step<State, string | null>> = [
  {
    id: 'setting.save',
    keys: ['enter'],
    label: 'save',
    hint: 'first',
    run: (state, key) => {
      const problem = problemOf(key, state.text);
      return problem === null ? {state, outcome: state.text} : {state: {...state, problem}};
    },
  },
  {
    id: 'setting.cancel',
    keys: ['escape'],
    label: 'cancel',
    hint: 'first',
    run: (state) => ({state, outcome: null}),
  },
  {
    id: 'setting.erase',
    keys: ['backspace'],
    label: 'delete',
    run: ({text}) => ({state: {text: withoutLast(text), problem: null}}),
  },
  {id: 'setting.clear', keys: ['ctrl+u'], label: 'clear', run: () => ({state: {text: '', problem: null}})},
];

/** A typed value, validated before it is written. */
export function SettingDialog({
  settingKey: key,
  layer,
  columns,
}: DialogSize & {readonly settingKey: SettingKey; readonly layer: ConfigLayerName}) {
  const {answers} = useTui();
  const [{data}] = useTuiState();
  const [seen] = useState(() => valueInLayer(data, layer, key));
  const setting = settings[key];
  const {state} = useStepper<State, string | null>({
    initial: () => ({text: editable(data?.config.values.get(key)?.value ?? setting.default), problem: null}),
    step: (before, {name, text}) => {
      const binding = bindingOf(settingKeymap, name);
      if (binding) return binding.run(before, key);
      return {
        state:
          text === undefined
            ? before
            : {text: before.text + (isNumeric(setting) ? typed(text).trim() : typed(text)), problem: null},
      };
    },
    onOutcome: (text) =>
      text === null ? answers.close() : answers.setting({layer, key, value: parseSetting(key, text), seen}),
  });
  const range = `${acceptedFor(setting)}, default ${settingText(setting.default)}`;
  return (
    <Lines
      lines={[
        lineOf(` ${key}  ${where(layer)}`, {bold: true}),
        lineOf(` ${setting.about}`),
        lineOf(` ${range}`, {dim: true}),
        blankLine,
        [{text: ' ❯ ', tone: 'accent'}, {text: state.text}, {text: ' ', inverse: true}],
        state.problem === null ? blankLine : lineOf(` ${state.problem}`, {tone: 'bad'}),
        blankLine,
        hintLine(hintsOf(settingKeymap), columns),
      ]}
    />
  );
}

/** A choice of fixed values. */
export function SettingChoice({
  settingKey: key,
  layer,
  ...size
}: DialogSize & {readonly settingKey: SettingKey; readonly layer: ConfigLayerName}) {
  const {answers} = useTui();
  const [{data}] = useTuiState();
  const [seen] = useState(() => valueInLayer(data, layer, key));
  const setting = settings[key];
  const options = 'options' in setting ? setting.options : [];
  const value = String(data?.config.values.get(key)?.value);
  const current = (options as readonly string[]).indexOf(value);
  return (
    <ChoiceDialog
      {...size}
      title={`${key}  ${where(layer)}: ${setting.about}`}
      items={options.map((label) => ({label}))}
      initialIndex={Math.max(0, current)}
      onChoose={(index) => answers.setting({layer, key, value: options[index] ?? setting.default, seen})}
      onCancel={answers.close}
    />
  );
}

/** Pasted text may contain newlines, or worse. */
const typed = (text: string) => displayText(text).replace(/\s+/g, ' ');

const isNumeric = ({type}: Setting) => type === 'integer' || type === 'limit';

/** Where there is no value, nothing stands in the way of what is typed. */
const editable = (value: SettingValue) => {
  const text = settingText(value);
  return text === settingText(null) ? '' : text;
};

const where = (layer: ConfigLayerName) =>
  layer === 'project' ? 'for this project' : 'globally, for all projects';

function problemOf(key: SettingKey, text: string): string | null {
  try {
    parseSetting(key, text);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
