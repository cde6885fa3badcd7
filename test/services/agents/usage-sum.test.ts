import {expect, test} from 'vitest';
import {claudeProvider} from '../../../src/services/agents/claude.ts';
import {createUsageSum} from '../../../src/services/agents/usage-sum.ts';
import type {AgentEvent} from '../../../src/services/contracts/agent.ts';

const told = (id: string, input: number, output: number) =>
  claudeProvider.parseLine(
    JSON.stringify({
      type: 'assistant',
      parent_tool_use_id: null,
      message: {
        id,
        model: 'opus',
        content: [],
        usage: {input_tokens: input, cache_read_input_tokens: 10, output_tokens: output},
      },
    }),
  );

function usageOf(events: readonly AgentEvent[]) {
  const summed = createUsageSum();
  const all = events.map(summed).flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
  return all.at(-1);
}

test('usage per message is added up, each once, however many lines report it', () => {
  const events = [...told('1', 100, 1), ...told('1', 100, 5), ...told('2', 200, 7)];
  expect(usageOf(events)).toEqual({input_tokens: 320, output_tokens: 12});
});

test('totals reported by the agent take precedence, and keep it', () => {
  const totals: AgentEvent = {type: 'usage', usage: {input_tokens: 5, output_tokens: 6, cost_usd: 0.5}};
  expect(usageOf([...told('1', 100, 1), totals, ...told('2', 100, 1)])).toEqual(totals.usage);
});
