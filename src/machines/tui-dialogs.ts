import type {ConfigLayerName, SettingKey} from '../services/contracts/config.ts';

/** What a person is asked before anything else goes on. Only names; what they mean is looked up. */
export type Dialog =
  | {readonly type: 'quit'}
  | {readonly type: 'restart'; readonly taskId: string}
  /** `isForced`: what stands in its way is named in the lines, and confirmed with it. */
  | {
      readonly type: 'undo';
      readonly taskId: string;
      readonly lines: readonly string[];
      readonly isForced: boolean;
    }
  | {readonly type: 'status'; readonly taskId: string}
  | {readonly type: 'delete'; readonly taskId: string}
  | {readonly type: 'add'; readonly parentId: string | null; readonly index: number}
  /** `seen` is the value it may replace: the one a person was shown when theirs was refused. */
  | {readonly type: 'edit'; readonly taskId: string; readonly field: EditedField; readonly seen?: string}
  | {readonly type: 'fields'; readonly taskId: string}
  | {readonly type: 'deps'; readonly taskId: string}
  | {readonly type: 'move'; readonly taskId: string}
  | {readonly type: 'questions'; readonly taskId: string}
  | {readonly type: 'checkpoint'; readonly taskId: string}
  | {readonly type: 'feedback'; readonly taskId: string}
  | {readonly type: 'agent'}
  | {readonly type: 'planWish'; readonly kind: 'generate' | 'refine'; readonly taskId: string | null}
  /** What an agent proposes is looked up: only one plan is worked on at a time. */
  | {readonly type: 'planDrafts' | 'planWork' | 'planQuestions' | 'planReview' | 'planRevise'}
  | {readonly type: 'planFields'; readonly taskId: string}
  | {readonly type: 'planField'; readonly taskId: string; readonly field: PlannedField}
  | {readonly type: 'sessionNew'}
  | {readonly type: 'sessionKill'; readonly id: string}
  /** `force` after it was refused once, with what would be lost. */
  | {readonly type: 'sessionClean'; readonly id: string; readonly force: boolean}
  | {readonly type: 'setting'; readonly key: SettingKey; readonly layer: ConfigLayerName}
  | {
      readonly type: 'message';
      readonly title: string;
      readonly lines: readonly MessageLine[];
      /** What comes when it was read; nothing, if it is missing. */
      readonly next?: Dialog;
    };

/** Something known of what went wrong, under its name; or what to type next, and why. */
export type MessageLine = {
  readonly label: string;
  readonly text: string;
  readonly kind?: 'command' | 'why';
};

/** Asked beside the plan, which can still be looked at. */
export type Panel = Extract<Dialog, {readonly type: 'questions' | 'checkpoint' | 'feedback'}>;

export type EditedField = 'title' | 'description' | 'prompt' | 'notes' | 'acceptanceCriteria' | 'verify';

/** What a person may change of a proposed task. */
export type PlannedField = Extract<EditedField, 'title' | 'description' | 'prompt' | 'acceptanceCriteria'>;
