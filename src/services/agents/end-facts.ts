import type {AgentEnd, AgentEvent, AgentResult, Failure, Usage} from '../contracts/agent.ts';

/** Gathers from the events of one agent process what it is judged by in the end. */
export function gatherEndFacts() {
  let result: AgentResult | null = null;
  let lastMessage: string | undefined;
  let diagnosis: Failure | undefined;
  let usage: {usage: Usage; isWholeSession: boolean} | null = null;
  let sessionRef: string | null = null;
  let wasStopped = false;

  return {
    take(event: AgentEvent): void {
      switch (event.type) {
        case 'session':
          sessionRef ??= event.ref;
          return;
        case 'result':
          // What an agent says of its interruption does not undo the result it had.
          result = wasStopped && result ? result : event.result;
          return;
        case 'retrying':
          // The agent will be interrupted for it, so this is the last that is said of the cause.
          if (event.isFatal) result = {ok: false, text: '', failure: event.failure};
          return;
        case 'diagnosis':
          diagnosis = merged(diagnosis, event.failure);
          return;
        case 'turn':
          diagnosis = undefined;
          return;
        case 'message':
          lastMessage = event.text;
          return;
        case 'usage':
          usage = {usage: event.usage, isWholeSession: event.wholeSession === true};
          return;
        case 'activity':
          return;
      }
    },
    /** We told the agent to end. */
    stop(): void {
      wasStopped = true;
    },
    get wasStopped() {
      return wasStopped;
    },
    get sessionRef() {
      return sessionRef;
    },
    get usage() {
      return usage;
    },
    get said(): Pick<AgentEnd, 'result' | 'lastMessage' | 'diagnosis'> {
      return {
        result,
        ...(lastMessage === undefined ? {} : {lastMessage}),
        ...(diagnosis === undefined ? {} : {diagnosis}),
      };
    },
  };
}

/** Two lines on one failure: the later may not repeat when the limit ends. */
function merged(earlier: Failure | undefined, later: Failure): Failure {
  return earlier?.kind === later.kind ? {...earlier, ...later} : later;
}
