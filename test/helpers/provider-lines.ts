import type {NativeProviderId} from '../../src/services/contracts/provider-table.ts';

export const providerRef = '0195d27e-46c6-4b0f-bd54-657f920eee8d';

/** What a provider's program prints. The compiler asks for an entry for every provider in the table. */
type ProviderLines = {
  /** The line that names the session `providerRef`. */
  readonly session: string;
  /** A message of the agent: "on it". */
  readonly progress: string;
  /** The last line after a success, with the cost if the table says that it tells the cost. */
  readonly result: string;
  /** On stderr, when it is to resume a session it does not know. */
  readonly unknownSession: string;
  /** When it is asked for its `loginStatus` and there is no login; null if it cannot be asked. */
  readonly loggedOut: string | null;
};

const line = (value: unknown) => JSON.stringify(value);

export const providerLines: Readonly<Record<NativeProviderId, ProviderLines>> = {
  claude: {
    session: line({type: 'system', subtype: 'init', session_id: providerRef}),
    progress: line({type: 'assistant', message: {content: [{type: 'text', text: 'on it'}]}}),
    result: line({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'on it',
      usage: {input_tokens: 100, output_tokens: 20},
      total_cost_usd: 0.001,
    }),
    unknownSession: `No conversation found with session ID: ${providerRef}\n`,
    loggedOut: '{"loggedIn": false}\n',
  },
  codex: {
    session: line({type: 'thread.started', thread_id: providerRef}),
    progress: line({type: 'item.completed', item: {type: 'agent_message', text: 'on it'}}),
    result: line({type: 'turn.completed'}),
    unknownSession: `Error: thread/resume: thread/resume failed: no rollout found for thread id ${providerRef} (code -32600)\n`,
    loggedOut: 'Not logged in\n',
  },
  demo: {
    session: line({demo: 'session', id: providerRef}),
    progress: line({demo: 'message', text: 'on it'}),
    result: line({demo: 'result', ok: true, text: 'on it'}),
    unknownSession: `no demo session ${providerRef}\n`,
    loggedOut: null,
  },
};
