import * as z from 'zod';
import type {ModelWish} from './model-wish.ts';
import {type Dialect, type ProviderId, providerIds} from './provider-table.ts';

export {type Dialect, type ProviderId, providerIds};

/** What an installed version can do; asked once per version, then remembered. */
export const capabilitiesSchema = z.looseObject({
  version: z.string(),
  /** Codex only: `--full-auto` exists in old versions and is gone in new ones. */
  fullAuto: z.boolean(),
  outputSchema: z.boolean(),
  /** How hard it thinks can be asked for. */
  effort: z.boolean(),
  /** The session ref can be chosen before the agent starts. */
  chosenSession: z.boolean(),
  /** It can be told what it may cost at most. */
  costLimit: z.boolean(),
});
export type Capabilities = z.infer<typeof capabilitiesSchema>;

/** One thing to ask of an agent. The prompt always travels through stdin. */
export type AgentRequest = {
  readonly kind: 'start' | 'resume';
  readonly prompt: string;
  /** resume: the session to go on with. start: the ref to use, where the provider lets us choose. */
  readonly sessionRef: string | null;
  readonly access: 'edit' | 'read-only';
  /** A JSON schema the last message must satisfy. */
  readonly answerSchema?: Readonly<Record<string, unknown>>;
  readonly isGitRepository: boolean;
  /** It is to stop by itself there, where it can be told. */
  readonly maxCostUsd?: number;
  readonly maxTurns?: number;
} & ModelWish;

/** What to execute. Holds no prompt outside `stdin`, so `args` can be recorded. */
export type AgentCommand = {
  readonly file: string;
  readonly args: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files the agent reads at its start; whoever spawns it writes them and removes them at the end. */
  readonly files?: readonly AgentFile[];
};

/** `args` names the file by its placeholder until it has a path. */
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
  /** The vendor's words, foreign text. */
  readonly message: string;
  /** When a limit ends, as the vendor's structure tells it (ISO). */
  readonly reset_at?: string;
  /** The setting whose limit was reached. */
  readonly setting?: string;
};

/** What the agent is doing, as one readable line. Text is foreign: sanitise it before it is shown. */
export type Activity = {
  readonly kind: 'message' | 'command' | 'output' | 'edit' | 'read' | 'tool' | 'notice';
  readonly text: string;
  /** Of output: so many lines stood above this one. */
  readonly above?: number;
};

/** What one line of an agent's output means. */
export type AgentEvent =
  /** `dialect`: in whose words a custom command announced it. */
  | {readonly type: 'session'; readonly ref: string; readonly dialect?: Dialect}
  /** The model began or took a turn. */
  | {readonly type: 'turn'}
  /** A whole message of the agent; the last one is its answer where the result carries no text. */
  | {readonly type: 'message'; readonly text: string}
  | {readonly type: 'activity'; readonly activity: Activity}
  /** Running totals, the last one wins: of this process, or of all processes of the session (Codex). */
  | {readonly type: 'usage'; readonly usage: Usage; readonly wholeSession?: true}
  /** What one message of the model used, told before the totals are; several lines may tell of the same one. */
  | {readonly type: 'messageUsage'; readonly messageId: string; readonly usage: Usage}
  /** `isFatal`: trying again cannot help, so nobody should wait for it. */
  | {readonly type: 'retrying'; readonly failure: Failure; readonly isFatal?: true}
  /** Why the model does not answer, by a line that knows more than the result. Its next turn outdates it. */
  | {readonly type: 'diagnosis'; readonly failure: Failure}
  | {readonly type: 'result'; readonly result: AgentResult};

/** The agent's own verdict on its turn, taken from structure and never from prose. */
export type AgentResult = {
  readonly ok: boolean;
  /** The agent's last message. */
  readonly text: string;
  readonly failure?: Failure;
  /** How many model turns the session took; 0 means a resume never began. */
  readonly turns?: number;
};

/** Everything that is known once the process is gone. */
export type AgentEnd = {
  readonly kind: AgentRequest['kind'];
  readonly result: AgentResult | null;
  /** Text of the last `message` event. */
  readonly lastMessage?: string;
  /** What the last `diagnosis` said, unless the model answered after it. */
  readonly diagnosis?: Failure;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  /** Needed by custom commands alone, whose answer may be plain text. */
  readonly stdoutTail?: string;
};

export type AgentVerdict =
  | {readonly outcome: 'succeeded'; readonly text: string}
  | {readonly outcome: 'failed'; readonly failure: Failure; readonly text: string};

/** Where to look for what a failed agent left behind. */
export type FailureScene = {
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
  /** Total: any text is accepted, and what is not understood means nothing. */
  parseLine(line: string): readonly AgentEvent[];
  judge(end: AgentEnd): AgentVerdict;
  /** Asks a second source about a failure, where the agent keeps one on its disk. Never throws. */
  investigate?(failure: Failure, scene: FailureScene): Promise<Failure>;
  /** Must hold before a ref becomes an argument. */
  isSessionRef(ref: string): boolean;
  /** What the installed version can do, from the text its own `--version` and `--help` print. */
  capabilities(help: {readonly version: string; readonly help: string}): Capabilities;
  /** Arguments whose output `capabilities` reads as `help`; null where there is nothing to ask. */
  readonly helpArgs: readonly string[] | null;
}
