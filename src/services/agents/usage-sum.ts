import type {AgentEvent, Usage} from '../contracts/agent.ts';

const nothing: Usage = {input_tokens: 0, output_tokens: 0};

/**
 * An agent's usage so far, from its lines: adds up the messages until the agent reports its totals. A message
 * event becomes a totals event; all others are passed on.
 */
export function createUsageSum(): (event: AgentEvent) => AgentEvent {
  const messages = new Map<string, Usage>();
  let sum = nothing;
  let told: Usage | null = null;
  return (event) => {
    if (event.type === 'usage') told = event.usage;
    if (event.type !== 'messageUsage') return event;
    const {messageId, usage} = event;
    // A message is repeated with each of its parts.
    const before = messages.get(messageId) ?? nothing;
    messages.set(messageId, usage);
    sum = {
      input_tokens: sum.input_tokens + usage.input_tokens - before.input_tokens,
      output_tokens: sum.output_tokens + usage.output_tokens - before.output_tokens,
    };
    return {type: 'usage', usage: told ?? sum};
  };
}
