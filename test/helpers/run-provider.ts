import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {onTestFinished} from 'vitest';
import {writeCommandFiles} from '../../src/services/agents/command-files.ts';
import {gatherEndFacts} from '../../src/services/agents/verdicts.ts';
import type {
  AgentEvent,
  AgentRequest,
  AgentVerdict,
  Capabilities,
  Provider,
} from '../../src/services/contracts/agent.ts';

export type ProviderEnd = {
  readonly verdict: AgentVerdict;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;
};

/** One agent process, started directly from a provider's command and read through its parser. */
export type ProviderRun = {
  readonly events: readonly AgentEvent[];
  /** The first matching event, past or future. */
  until(fits: (event: AgentEvent) => boolean): Promise<AgentEvent>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<ProviderEnd>;
};

export type ProviderRunOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly capabilities: Capabilities;
};

export const request = (changes: Partial<AgentRequest> = {}): AgentRequest => ({
  kind: 'start',
  prompt: 'do it',
  sessionRef: null,
  access: 'edit',
  isGitRepository: true,
  ...changes,
});

export const capabilities = (changes: Partial<Capabilities> = {}): Capabilities => ({
  version: '0.0.0',
  fullAuto: false,
  outputSchema: true,
  effort: true,
  chosenSession: true,
  costLimit: true,
  ...changes,
});

export async function runProvider(
  provider: Provider,
  asked: AgentRequest,
  options: ProviderRunOptions,
): Promise<ProviderRun> {
  const {command, remove} = await writeCommandFiles(provider.command(asked, options.capabilities));
  const child = spawn(command.file, command.args, {
    cwd: options.cwd,
    env: {...options.env, ...command.env},
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });

  const events: AgentEvent[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of waiting) look();
  };
  createInterface({input: child.stdout}).on('line', (line) => {
    events.push(...provider.parseLine(line));
    wake();
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  // An agent may exit without reading its prompt.
  child.stdin.on('error', () => {});
  child.stdin.end(command.stdin);

  let isOver = false;
  const ended = new Promise<ProviderEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => {
      isOver = true;
      wake();
      const facts = gatherEndFacts();
      events.forEach(facts.take);
      const verdict = provider.judge({kind: asked.kind, ...facts.said, exitCode, signal, stderrTail: stderr});
      void remove().then(() => resolve({verdict, exitCode, signal, stderr}));
    });
  });

  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined && !isOver) process.kill(-child.pid, name);
  };
  onTestFinished(() => signal('SIGKILL'));

  return {
    events,
    signal,
    ended,
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const event = events.find(fits);
          if (event === undefined && !isOver) return;
          waiting.delete(look);
          if (event === undefined) reject(new Error(`no such event before the agent ended: ${stderr}`));
          else resolve(event);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** The session the agent announced first. */
export async function sessionOf(run: ProviderRun): Promise<string> {
  const event = await run.until(({type}) => type === 'session');
  return event.type === 'session' ? event.ref : '';
}
