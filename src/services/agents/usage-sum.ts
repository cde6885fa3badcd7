import type {AgentEvent, Usage} from '../contracts/agent.ts';

const nothing: Usage = {input_tokens: 0, output_tokens: 0};

/**
 * What an agent has used so far, from its lines: the messages are added up until it tells its totals itself. An event
 * about a message becomes one about the totals; every other is passed on.
 */
export function createUsageSum(): (event: AgentEvent) => AgentEvent {
  const messages = new Map<string, Usage>();
  let sum = nothing;
  let told: Usage | null = null;
  return (event) => {
    if (event.type === 'usage') told = event.usage;
    if (event.type !== 'messageUsage') return event;
    const {messageId, usage} = event;
    // The same message is told once more with each of its parts.
    const before = messages.get(messageId) ?? nothing;
    messages.set(messageId, usage);
    sum = {
      input_tokens: sum.input_tokens + usage.input_tokens - before.input_tokens,
      output_tokens: sum.output_tokens + usage.output_tokens - before.output_tokens,
    };
    return {type: 'usage', usage: told ?? sum};
  };
}
