import type {ConfigLayerName, SettingKey} from '../services/contracts/config.ts';

/** The dialogs, by name only; their content is looked up. */
export type Dialog =
  | {readonly type: 'quit'}
  | {readonly type: 'restart'; readonly taskId: string}
  /** `isForced`: the lines name the obstacles, which are confirmed with it. */
  | {
      readonly type: 'undo';
      readonly taskId: string;
      readonly lines: readonly string[];
      readonly isForced: boolean;
    }
  | {readonly type: 'status'; readonly taskId: string}
  | {readonly type: 'delete'; readonly taskId: string}
  | {readonly type: 'add'; readonly parentId: string | null; readonly index: number}
  /** `seen` is the value it may replace: the one shown when the edit was refused. */
  | {readonly type: 'edit'; readonly taskId: string; readonly field: EditedField; readonly seen?: string}
  /** `field` is the one that was edited last. */
  | {readonly type: 'fields'; readonly taskId: string; readonly field?: EditedField}
  | {readonly type: 'deps'; readonly taskId: string}
  | {readonly type: 'move'; readonly taskId: string}
  | {readonly type: 'questions'; readonly taskId: string}
  | {readonly type: 'checkpoint'; readonly taskId: string}
  | {readonly type: 'feedback'; readonly taskId: string}
  | {readonly type: 'agent'}
  | {readonly type: 'planWish'; readonly kind: 'generate' | 'refine'; readonly taskId: string | null}
  /** The proposal is looked up: only one plan is worked on at a time. */
  | {readonly type: 'planDrafts' | 'planWork' | 'planQuestions' | 'planReview' | 'planRevise'}
  | {readonly type: 'planFields'; readonly taskId: string}
  | {readonly type: 'planField'; readonly taskId: string; readonly field: PlannedField}
  /** `name` is the one that was refused. */
  | {readonly type: 'sessionNew'; readonly name?: string}
  | {readonly type: 'sessionKill'; readonly id: string}
  /** `force` after a first refusal, which said what would be lost. */
  | {readonly type: 'sessionClean'; readonly id: string; readonly force: boolean}
  | {readonly type: 'setting'; readonly key: SettingKey; readonly layer: ConfigLayerName}
  | {
      readonly type: 'message';
      readonly title: string;
      readonly lines: readonly MessageLine[];
      /** The dialog that opens after it was read; none if missing. */
      readonly next?: Dialog;
    };

/** A detail of an error with its label, or the next command and why. */
export type MessageLine = {
  readonly label: string;
  readonly text: string;
  readonly kind?: 'command' | 'why';
};

/** Shown beside the plan, which stays usable. */
export type Panel = Extract<Dialog, {readonly type: 'questions' | 'checkpoint' | 'feedback'}>;

export type EditedField = 'title' | 'description' | 'prompt' | 'notes' | 'acceptanceCriteria' | 'verify';

/** The fields of a proposed task that the user may change. */
export type PlannedField = Extract<EditedField, 'title' | 'description' | 'prompt' | 'acceptanceCriteria'>;
