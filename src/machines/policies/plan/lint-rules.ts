import type {Task} from '../../../services/contracts/plan.ts';
import {counted} from '../text/counted.ts';
import type {FindingField, Severity} from './lint-finding.ts';
import {hasAny, isBlank, isConcrete, isEnglish, isPlaceholder, isSpaced, wordsOf} from './lint-text.ts';
import {
  behaviourWords,
  completionWords,
  directionWords,
  emptyOrders,
  observableWords,
  opinionWords,
  stateWords,
  vagueWords,
  verificationWords,
} from './lint-words.ts';

/** `isVerified`: it has checks, from the task itself, a parent or the settings. `isDraft`: it is only proposed. */
type Surroundings = {readonly isVerified: boolean; readonly isDraft: boolean};

type TaskRule = {
  readonly code: string;
  readonly severity: Severity;
  readonly field: FindingField;
  readonly suggestion: string;
  /** Used for a proposed task if the suggestion is a command: no command works on it before it is saved. */
  readonly draftSuggestion?: string;
  /** What is wrong, or null. */
  readonly check: (leaf: Task, surroundings: Surroundings) => string | null;
};

const fewWords = 8;
const manyCriteria = 12;
const longText = 8_000;

/** All rules about a single leaf. */
export const taskRules: readonly TaskRule[] = [
  {
    code: 'leaf_description_missing_or_placeholder',
    severity: 'blocking',
    field: 'description',
    suggestion: 'say what is to be built, and where',
    check: ({description = ''}) => {
      if (isBlank(description)) return 'has no description';
      return isPlaceholder(description) ? 'has a placeholder instead of a description' : null;
    },
  },
  {
    code: 'leaf_description_too_thin',
    severity: 'warning',
    field: 'description',
    suggestion: 'say what is to be built, where, and what it must not change',
    check: ({description = ''}) => {
      if (isBlank(description) || isPlaceholder(description)) return null;
      const {length} = wordsOf(description);
      return length < fewWords && isSpaced(description) ? `is described in ${counted(length, 'word')}` : null;
    },
  },
  {
    code: 'leaf_acceptance_criteria_missing',
    severity: 'blocking',
    field: 'acceptanceCriteria',
    suggestion: 'add criteria that can be checked, or a `verify` command',
    check: (task, {isVerified}) =>
      criteriaOf(task).length === 0 && !isVerified ? 'has neither acceptance criteria nor a check' : null,
  },
  {
    code: 'leaf_acceptance_criteria_non_verifiable',
    severity: 'blocking',
    field: 'acceptanceCriteria',
    suggestion: 'name an output, a file, a command or a value that shows it',
    check: (task) => {
      const criteria = criteriaOf(task);
      const isVague = criteria.length > 0 && !criteria.some(isVerifiable);
      return isVague ? 'has no acceptance criterion that can be checked' : null;
    },
  },
  {
    code: 'leaf_acceptance_criteria_low_count',
    severity: 'warning',
    field: 'acceptanceCriteria',
    suggestion: 'two or more criteria leave less to guess',
    // A check defines "done", however little is written.
    check: (task, {isVerified}) =>
      criteriaOf(task).length === 1 && !isVerified ? 'has only one acceptance criterion' : null,
  },
  {
    code: 'leaf_verify_missing',
    severity: 'warning',
    field: 'verify',
    suggestion: 'blackbird edit <id> --verify "npm test", or execution.verify for all tasks',
    draftSuggestion:
      'name the command that proves it in `backticks` in a criterion; it can be made a check once the task is saved',
    // A proposal cannot have checks; a criterion with a command tells the user which one to add.
    check: (task, {isVerified, isDraft}) =>
      isVerified || (isDraft && criteriaOf(task).some((text) => text.includes('`')))
        ? null
        : 'has no check that Blackbird can run',
  },
  {
    code: 'leaf_prompt_missing',
    severity: 'blocking',
    field: 'prompt',
    suggestion: 'tell the agent what to do, where, and how to see that it is done',
    check: ({prompt = ''}) => (isBlank(prompt) ? 'has no prompt' : null),
  },
  {
    code: 'leaf_prompt_not_actionable',
    severity: 'blocking',
    field: 'prompt',
    suggestion: 'begin with what is to be done ("Add …", "Replace …") and say when it is done',
    check: ({prompt = ''}) => {
      if (isBlank(prompt)) return null;
      if (isPlaceholder(prompt)) return 'has a placeholder instead of a prompt';
      if (emptyOrders.includes(wordsOf(prompt).join(' '))) return 'has a prompt without an instruction';
      return isConcrete(prompt, [...directionWords, ...completionWords])
        ? null
        : 'has a prompt that neither says what to do nor when it is done';
    },
  },
  {
    code: 'leaf_prompt_missing_verification_hint',
    severity: 'warning',
    field: 'prompt',
    suggestion: 'say how the agent can see that it works',
    // Blackbird's own check covers it, whatever the prompt says.
    check: ({prompt = ''}, {isVerified}) =>
      isVerified || isBlank(prompt) || !isEnglish(prompt) || hasAny(prompt, verificationWords)
        ? null
        : 'has a prompt that does not say how to check the work',
  },
  {
    code: 'vague_language_detected',
    severity: 'warning',
    field: 'task',
    suggestion: 'say what is different afterwards: a value, a file, a behaviour',
    check: (task) => {
      const vague = [task.description ?? '', task.prompt ?? '', ...criteriaOf(task)].find(
        (text) => hasAny(text, vagueWords) && !isConcrete(text, behaviourWords),
      );
      const word = vague === undefined ? undefined : vagueWords.find((each) => hasAny(vague, [each]));
      return word === undefined ? null : `says "${word}" without saying what that means`;
    },
  },
  {
    code: 'leaf_too_large',
    severity: 'hint',
    field: 'task',
    suggestion: 'split it: one task should fit one session of an agent',
    check: (task) => {
      const {length} = [task.description ?? '', task.prompt ?? '', ...criteriaOf(task)].join('\n');
      if (length > longText) return `has ${length} characters of text`;
      const count = criteriaOf(task).length;
      return count > manyCriteria ? `has ${count} acceptance criteria` : null;
    },
  },
];

/** Describes an event, or a state that is more than an opinion. */
const isVerifiable = (text: string) =>
  isConcrete(text, observableWords) || (hasAny(text, stateWords) && !hasAny(text, opinionWords));

const criteriaOf = ({acceptanceCriteria}: Task) => acceptanceCriteria.filter((text) => !isBlank(text));
