import * as z from 'zod';
import type {ModelChoice} from './model-choice.ts';
import {type Dialect, type ProviderId, providerIds} from './provider-table.ts';

export {type Dialect, type ProviderId, providerIds};

/** What an installed version can do; looked up once per version, then cached. */
export const capabilitiesSchema = z.looseObject({
  version: z.string(),
  /** Codex only: `--full-auto` exists in old versions but not in new ones. */
  fullAuto: z.boolean(),
  outputSchema: z.boolean(),
  /** The reasoning effort can be set. */
  effort: z.boolean(),
  /** The session ref can be chosen before the agent starts. */
  chosenSession: z.boolean(),
  /** A cost limit can be passed to it. */
  costLimit: z.boolean(),
});
export type Capabilities = z.infer<typeof capabilitiesSchema>;

/** One request to an agent. The prompt always goes through stdin. */
export type AgentRequest = {
  readonly kind: 'start' | 'resume';
  readonly prompt: string;
  /** resume: the session to continue. start: the ref to use, if the provider lets us choose. */
  readonly sessionRef: string | null;
  readonly access: 'edit' | 'read-only';
  /** A JSON schema that the last message must satisfy. */
  readonly answerSchema?: Readonly<Record<string, unknown>>;
  readonly isGitRepository: boolean;
  /** The cost at which it is to stop by itself, if it supports that. */
  readonly maxCostUsd?: number;
  readonly maxTurns?: number;
} & ModelChoice;

/** What to execute. The prompt is only in `stdin`, so `args` can be recorded. */
export type AgentCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files the agent reads at its start; the spawner writes them and removes them at the end. */
  readonly files?: readonly AgentFile[];
};

/** `args` contains the placeholder until the file has a path. */
export type AgentFile = {readonly placeholder: string; readonly content: string};

export type Usage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd?: number;
};

export const failureKinds = [
  'agent_error',
  'auth',
  'billing',
  'rate_limit',
  'outage',
  'stalled',
  'context_full',
  'own_limit',
  'bad_model',
  'resume_rejected',
  'rejected',
  'verification',
  'spawn_failed',
  'stopped',
] as const;
export type FailureKind = (typeof failureKinds)[number];
export type Failure = {
  readonly kind: FailureKind;
  /** The vendor's message, untrusted text. */
  readonly message: string;
  /** When a limit ends, from structured data of the vendor (ISO). */
  readonly reset_at?: string;
  /** The setting whose limit was reached. */
  readonly setting?: string;
};

/** What the agent is doing, as one readable line. Untrusted text: sanitise it before display. */
export type Activity = {
  readonly kind: 'message' | 'command' | 'output' | 'edit' | 'read' | 'tool' | 'notice';
  readonly text: string;
  /** For output: the number of lines above this one. */
  readonly above?: number;
};

/** What one line of an agent's output means. */
export type AgentEvent =
  /** `dialect`: the vendor format in which a custom command announced it. */
  | {readonly type: 'session'; readonly ref: string; readonly dialect?: Dialect}
  /** The model began or took a turn. */
  | {readonly type: 'turn'}
  /** A whole message of the agent; the last one is its answer if the result has no text. */
  | {readonly type: 'message'; readonly text: string}
  | {readonly type: 'activity'; readonly activity: Activity}
  /** Running totals, the last one counts: for this process, or for all processes of the session (Codex). */
  | {readonly type: 'usage'; readonly usage: Usage; readonly wholeSession?: true}
  /** The usage of one message of the model, before the totals are known; several lines may report the same one. */
  | {readonly type: 'messageUsage'; readonly messageId: string; readonly usage: Usage}
  /** `isFatal`: retrying cannot help, so it is not worth waiting for. */
  | {readonly type: 'retrying'; readonly failure: Failure; readonly isFatal?: true}
  /** Why the model does not answer, from a line that knows more than the result. Outdated by the model's next turn. */
  | {readonly type: 'diagnosis'; readonly failure: Failure}
  | {readonly type: 'result'; readonly result: AgentResult};

/** The agent's own verdict on its turn, taken from structured output and never from prose. */
export type AgentResult = {
  readonly ok: boolean;
  /** The agent's last message. */
  readonly text: string;
  readonly failure?: Failure;
  /** How many model turns the session took; 0 means that a resume never began. */
  readonly turns?: number;
};

/** Everything known after the process has exited. */
export type AgentEnd = {
  readonly kind: AgentRequest['kind'];
  readonly result: AgentResult | null;
  /** Text of the last `message` event. */
  readonly lastMessage?: string;
  /** The last `diagnosis`, unless the model answered after it. */
  readonly diagnosis?: Failure;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  /** Only for custom commands, whose answer may be plain text. */
  readonly stdoutTail?: string;
};

export type AgentVerdict =
  | {readonly outcome: 'succeeded'; readonly text: string}
  | {readonly outcome: 'failed'; readonly failure: Failure; readonly text: string};

/** Where to look for traces of a failed agent. */
export type FailureContext = {
  readonly sessionRef: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: Date;
};

/** One vendor: pure functions from a request to argv, from a line to events, from an end to a verdict. */
export interface Provider {
  readonly id: ProviderId;
  readonly title: string;
  readonly executable: string;
  command(request: AgentRequest, capabilities: Capabilities): AgentCommand;
  /** Total: accepts any text; unknown lines produce no events. */
  parseLine(line: string): readonly AgentEvent[];
  judge(end: AgentEnd): AgentVerdict;
  /** Checks a second source about a failure, if the agent keeps one on disk. Never throws. */
  investigate?(failure: Failure, context: FailureContext): Promise<Failure>;
  /** Must hold before a ref becomes an argument. */
  isSessionRef(ref: string): boolean;
  /** What the installed version can do, from the output of its `--version` and `--help`. */
  capabilities(help: {readonly version: string; readonly help: string}): Capabilities;
  /** Arguments whose output is passed to `capabilities` as `help`; null if there is nothing to ask. */
  readonly helpArgs: readonly string[] | null;
}
